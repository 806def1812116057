import { type CommandName, needsSimulatedMarkets } from '../contract/venue/commands.ts'
import type { VenueLatency } from '../contract/venue/latency.ts'
import { Failure, invalidParameter } from '../core/failure.ts'
import type { Clock, EntityStore } from '../core/ports.ts'
import { openArchive } from './control/archive.ts'
import { type CommandContext, readCommand } from './control/commands.ts'
import { openScenario, type Scenario } from './control/scenario/run.ts'
import type { CommandTexts } from './control/values.ts'
import { createEmbeddedVenue, type EmbeddedOptions, type EmbeddedVenue } from './embedded.ts'
import { isReadableWorld } from './engine/persist/log.ts'
import { jsonResponse, type VenueAnswer, type VenueEndpoint } from './messages/message.ts'
import { paperRefusal } from './paper.ts'
import { faultFront } from './server/faults/front.ts'
import { faultyLive } from './server/faults/live.ts'
import { type FaultInjector, openFaults } from './server/faults/rules.ts'
import { createTransit, type LatencyDraws, latencyDraws, latencyFront } from './server/latency.ts'
import { limited } from './server/limits/limits.ts'
import type { LiveVenue } from './stream/live.ts'
import { playsAll, RESET_HINT, replacesWorld, tapeRefusal } from './world-choices.ts'

/** The options of a supervised venue, in addition to the options of an embedded venue. */
export type SupervisedOptions = EmbeddedOptions & {
  readonly sleep: (ms: number) => Promise<void>
  /** `live` enforces the rate limits of the live venue; null leaves calls unlimited. */
  readonly limits: 'live' | null
  /** The simulated network delay of calls, answers and live messages; null for instant delivery. */
  readonly latency: VenueLatency | null
  readonly scenario: Scenario | null
  /**
   * The reason why the stored world must not be opened. With a reason, only commands that replace the world run. Absent
   * if the world may be opened.
   */
  readonly heldReason?: string | undefined
  /** Receives each venue that is opened, including the first. */
  readonly onOpened: (venue: EmbeddedVenue) => void
}

/** Runs an operator command and returns its answer. Throws Failure. */
export type RunVenueCommand = (name: CommandName, texts: CommandTexts) => Promise<object>

/** The embedded venue behind its rate limits and injected faults. Operator commands can replace its world. */
export type SupervisedVenue = {
  readonly answer: VenueEndpoint
  readonly live: LiveVenue
  readonly runCommand: RunVenueCommand
  /** The venue of the current world. If the stored world was refused, this venue has no accounts. */
  readonly current: () => EmbeddedVenue
  readonly clock: Clock
  /** Why the stored world was refused, and the command that starts a new world; null if the venue answers. */
  readonly refusal: () => string | null
}

/** The text of `expected` when a command for simulated markets is refused because the markets are mirrored. */
const OWN_MARKETS = 'a simulated market: here prices and notices are those of a live venue'

/** A world of another version stays unread and unchanged. Only commands that replace it run. */
const REFUSAL = `the simulated world in this data directory was written by another version of prepd: ${RESET_HINT}`

/** An empty store that keeps nothing, for a refused world. */
const NO_ENTITIES: EntityStore = { kinds: () => [], load: () => [], commit: () => undefined }

type Opened = {
  readonly refusal: string | null
  readonly venue: EmbeddedVenue
  readonly faults: FaultInjector
  readonly door: VenueEndpoint
  readonly context: CommandContext
}

/** Opens the venue. Opens it again after a command has restored a snapshot or the initial state. */
export function createSupervisedVenue(parts: SupervisedOptions): SupervisedVenue {
  let generation = 0
  let moved = (): void => undefined
  const draws = latencyDraws(parts.latency, parts.seed)
  let current = open(generation)
  const nowMs = () => current.venue.time.clock.nowMs()
  const { live, interrupt, ...wire } = faultyLive(() => current.venue.live, {
    faults: () => current.faults,
    feedMs: () => draws('feed'),
    nowMs,
    isVirtual: parts.time === 'virtual',
  })
  moved = wire.moved

  function open(mine: number): Opened {
    const isCurrent = () => mine === generation
    // From the second opening on, a command has replaced the world, so the reason no longer holds.
    const heldReason = mine === 0 ? parts.heldReason : undefined
    const entities = refuseOnceReplaced(parts.entities, isCurrent)
    return openOne({ ...parts, heldReason, entities, timeMoved, draws }, reopen, parts)
  }

  function timeMoved(atMs: number): void {
    parts.timeMoved?.(atMs)
    moved()
  }

  function reopen(): number {
    generation += 1
    current.venue.mirror?.stop()
    current = open(generation)
    interrupt()
    return current.venue.time.clock.nowMs()
  }

  return {
    answer: (request) => current.door(request),
    live,
    current: () => current.venue,
    clock: { nowMs },
    refusal: () => current.refusal,
    runCommand: async (name, texts) => {
      const command = readCommand(name, texts)
      if (parts.paper && needsSimulatedMarkets(name))
        throw invalidParameter('command', 'conflicting', { expected: OWN_MARKETS })
      const { venue, context, refusal } = current
      if (refusal !== null && !replacesWorld(name)) throw new Failure('upstream_unavailable')
      await settled(venue)
      const answer = await command(context, venue.time.clock.nowMs())
      await settled(current.venue)
      return answer
    },
  }
}

/** A store that refuses writes of a venue that has been replaced. */
function refuseOnceReplaced(entities: EntityStore, isCurrent: () => boolean): EntityStore {
  const commit: EntityStore['commit'] = (changes) => {
    if (!isCurrent()) throw new RangeError('the venue was put back')
    entities.commit(changes)
  }
  return { ...entities, commit }
}

/** Opens a venue behind rate limits and faults, with its scenario. Commands that replace its world use `entities`. */
function openOne(
  parts: SupervisedOptions & { readonly draws: LatencyDraws },
  reopen: () => number,
  { entities: whole }: Pick<SupervisedOptions, 'entities'>,
): Opened {
  const { heldReason, paper, tape } = parts
  const unreadable = isReadableWorld(whole, !playsAll(whole, tape)) ? null : REFUSAL
  const refusal = heldReason ?? unreadable ?? paperRefusal(whole, paper) ?? tapeRefusal(whole, tape)
  if (refusal !== null) parts.log.error('venue_world_refused', { reason: refusal })
  const venue = createEmbeddedVenue(
    refusal === null ? parts : { ...parts, paper: null, entities: NO_ENTITIES },
  )
  const { clock } = venue.time
  const faults = openFaults({ ...parts, clock })
  const counted = parts.limits === null ? venue.answer : limited(venue.answer, clock)
  const context = commandContext({ venue, faults, reopen, archive: openArchive(whole) })
  if (parts.scenario && refusal === null) {
    const schedule = openScenario(parts.scenario, { ...parts, ...venue, clock, context })
    venue.exchange.follow(schedule)
    // A scenario runs inside the simulation, so the simulation is built at once.
    venue.exchange.simulation()
  }
  venue.mirror?.start()
  parts.onOpened(venue)
  const door =
    refusal === null
      ? createTransitEndpoint(counted, venue, { ...parts, faults })
      : createRefusingEndpoint(clock)
  return { refusal, venue, faults, door, context }
}

/** Puts network delay and faults in front of the venue. Delays pass on the venue's clock. */
function createTransitEndpoint(
  answer: VenueAnswer,
  { time, cancelSilently }: EmbeddedVenue,
  {
    latency,
    draws,
    faults,
    sleep,
  }: SupervisedOptions & Pick<Opened, 'faults'> & { readonly draws: LatencyDraws },
): VenueEndpoint {
  const { clock } = time
  const pass = createTransit({ ...clock, reach: time.advance && time.reach, sleep })
  const front = latency === null ? answer : latencyFront(answer, { draws, pass, clock })
  const parts = { faults, cancelSilently, sleep: (ms: number) => pass(clock.nowMs() + ms) }
  return faultFront(front, parts)
}

function createRefusingEndpoint({ nowMs }: Clock): VenueEndpoint {
  const message = 'The simulated world is refused.'
  return async () => jsonResponse(503, { success: false, code: -1000, message, timestamp: nowMs() })
}

/** Advances the clock and, if the simulation is open, waits until it has reached that time. */
async function settled({ advance, arrived, exchange }: EmbeddedVenue): Promise<void> {
  advance()
  if (exchange.isOpen()) await arrived()
}

function commandContext({
  venue,
  ...parts
}: Pick<Opened, 'venue' | 'faults'> & Pick<CommandContext, 'reopen' | 'archive'>): CommandContext {
  const { exchange, practice, notices, time, check } = venue
  return {
    ...parts,
    engine: () => exchange.simulation().engine,
    practice,
    notices,
    save: exchange.save,
    advance: time.advance,
    run: time.run,
    nowMs: () => time.clock.nowMs(),
    check,
  }
}
