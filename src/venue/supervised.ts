import { Failure } from '../core/failure.ts'
import type { Clock, EntityStore, Log } from '../core/ports.ts'
import { isCommandName } from '../spec/venue/commands.ts'
import { openArchive } from './control/archive.ts'
import { type CommandContext, readCommand } from './control/commands.ts'
import { openScenario, type Scenario } from './control/scenario/run.ts'
import type { CommandTexts } from './control/values.ts'
import { createEmbeddedVenue, type EmbeddedParts, type EmbeddedVenue } from './embedded.ts'
import { isReadableWorld } from './engine/persist/log.ts'
import type { VenueDoor } from './messages/message.ts'
import { responseOf } from './messages/message.ts'
import { NEW_WORLD, replacesWorld } from './replaced-world.ts'
import { faultFront, faultyLive } from './server/faults/front.ts'
import { type FaultInjector, openFaults } from './server/faults/rules.ts'
import { limited } from './server/limits/limits.ts'

type Parts = EmbeddedParts & {
  readonly log: Log
  readonly sleep: (ms: number) => Promise<void>
  /** Whether callers are counted as the live venue counts them. */
  readonly limits: 'live' | null
  readonly scenario: Scenario | null
  /** Why the first world is left closed, so that only commands which replace it run; absent where it is opened. */
  readonly heldReason?: string | undefined
  /** Called with each venue that is opened, the first included. */
  readonly onOpened: (venue: EmbeddedVenue) => void
}

/** Runs an operator command and returns its answer; null for an unknown command. Throws Failure. */
export type RunCommand = (name: string, texts: CommandTexts) => Promise<object | null>

/** The embedded venue as its operator runs it: behind its limits and faults, with operator commands; it may be put back. */
export type SupervisedVenue = Omit<EmbeddedVenue, 'answer' | 'exchange' | 'notices'> & {
  readonly answer: VenueDoor
  readonly runCommand: RunCommand
  /** Why the stored world is refused, and the command that starts a new one; null for a venue that answers. */
  readonly refusal: () => string | null
  /** Settles when a running clock, and a world that has been asked for, have come to now. */
  readonly settled: () => Promise<void>
}

/** A world of another version is neither read nor changed: only commands that replace it are carried out. */
const REFUSAL = `the simulated world in this data directory was written by another version of prepd: ${NEW_WORLD}`

/** Stands for the store of a world that is refused. */
const NO_ENTITIES: EntityStore = { kinds: () => [], load: () => [], commit: () => undefined }

type Opened = {
  readonly refusal: string | null
  readonly venue: EmbeddedVenue
  readonly faults: FaultInjector
  readonly door: VenueDoor
  readonly context: CommandContext
}

/** Opens the venue, and again whenever it is put back to a kept snapshot or to its initial state. */
export function createSupervisedVenue(parts: Parts): SupervisedVenue {
  let generation = 0
  let current = open(generation)
  const { live, interrupt } = faultyLive(
    () => current.venue.live,
    () => current.faults,
  )

  function open(mine: number): Opened {
    const isCurrent = () => mine === generation
    // A world that was held back has been replaced when the venue is opened again.
    const heldReason = mine === 0 ? parts.heldReason : undefined
    const entities = whileIt(parts.entities, isCurrent)
    return openOne({ ...parts, heldReason, entities }, reopen, parts)
  }

  function reopen(): number {
    generation += 1
    current = open(generation)
    interrupt()
    return current.venue.time.clock.nowMs()
  }

  return {
    ...facade(() => current),
    live,
    runCommand: async (name, texts) => {
      if (!isCommandName(name)) return null
      const command = readCommand(name, texts)
      const { venue, context, refusal } = current
      if (refusal !== null && !replacesWorld(name)) throw new Failure('upstream_unavailable')
      await settled(venue)
      const answer = await command(context, venue.time.clock.nowMs())
      await settled(current.venue)
      return answer
    },
  }
}

/** A store as one venue writes it: what was still under way when that was put back is not written any more. */
function whileIt(entities: EntityStore, isCurrent: () => boolean): EntityStore {
  const commit: EntityStore['commit'] = (changes) => {
    if (!isCurrent()) throw new RangeError('the venue was put back')
    entities.commit(changes)
  }
  return { ...entities, commit }
}

/** One venue behind its limits and faults, with its scenario; the commands that replace it write the whole store. */
function openOne(
  parts: Parts,
  reopen: () => number,
  { entities: whole }: Pick<Parts, 'entities'>,
): Opened {
  const refusal = parts.heldReason ?? (isReadableWorld(whole) ? null : REFUSAL)
  if (refusal !== null) parts.log.error('venue_world_refused', { reason: refusal })
  const venue = createEmbeddedVenue(refusal === null ? parts : { ...parts, entities: NO_ENTITIES })
  const { clock } = venue.time
  const faults = openFaults({ ...parts, clock })
  const counted = parts.limits === null ? venue.answer : limited(venue.answer, clock)
  const context = contextOf({ venue, faults, reopen, archive: openArchive(whole) })
  if (parts.scenario && refusal === null) {
    const schedule = openScenario(parts.scenario, { ...parts, ...venue, clock, context })
    venue.exchange.follow(schedule)
    // What is timed needs a world to happen in, asked for or not.
    venue.exchange.simulation()
  }
  parts.onOpened(venue)
  const door = refusal === null ? faultFront(counted, { ...parts, faults }) : refusedDoor(clock)
  return { refusal, venue, faults, door, context }
}

function refusedDoor({ nowMs }: Clock): VenueDoor {
  const message = 'The simulated world is refused.'
  return async () => responseOf(503, { success: false, code: -1000, message, timestamp: nowMs() })
}

/** What the venue that there is now does, under one name for all that follow it. */
function facade(now: () => Opened): Omit<SupervisedVenue, 'live' | 'runCommand'> {
  return {
    answer: (request) => now().door(request),
    advance: () => now().venue.advance(),
    affiliates: {
      appoint: (accountId) => now().venue.affiliates.appoint(accountId),
      promote: (accountId) => now().venue.affiliates.promote(accountId),
    },
    practice: {
      list: (rowsMax) => now().venue.practice.list(rowsMax),
      show: (accountId) => now().venue.practice.show(accountId),
      tokens: now().venue.practice.tokens,
      fund: (...deposit) => now().venue.practice.fund(...deposit),
    },
    indexOf: (symbol) => now().venue.indexOf(symbol),
    stillPrices: () => now().venue.stillPrices(),
    check: async () => {
      const { refusal, venue } = now()
      if (refusal !== null) throw new Failure('upstream_unavailable')
      return venue.check()
    },
    refusal: () => now().refusal,
    arrived: () => now().venue.arrived(),
    settled: () => settled(now().venue),
    time: currentTime(() => now().venue.time),
  }
}

/** Lets a running clock, and a world that has been asked for, come to now. */
async function settled({ advance, arrived, exchange }: EmbeddedVenue): Promise<void> {
  advance()
  if (exchange.isOpen()) await arrived()
}

/** The time of the venue that there is now. */
function currentTime(now: () => EmbeddedVenue['time']): EmbeddedVenue['time'] {
  const { clock, advance, run, madeAtMs, beginsAtMs } = now()
  return {
    // One that cannot be moved is the wall's, whichever venue there is.
    clock: advance ? { nowMs: () => now().clock.nowMs() } : clock,
    madeAtMs,
    beginsAtMs,
    advance: advance && ((ms) => now().advance?.(ms)),
    run: run && ((times) => now().run?.(times)),
    times: () => now().times(),
    tick: () => now().tick(),
    reach: (atMs) => now().reach(atMs),
  }
}

function contextOf({
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
