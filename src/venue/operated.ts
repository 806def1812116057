import type { Log } from '../core/ports.ts'
import { isWordName } from '../spec/venue/words.ts'
import { openArchive } from './archive.ts'
import { createEmbeddedVenue, type EmbeddedParts, type EmbeddedVenue } from './embedded.ts'
import { faultFront } from './faults/front.ts'
import { type FaultDesk, openFaults } from './faults/rules.ts'
import { faultyLive } from './faults/stream.ts'
import { limited } from './limits/limits.ts'
import { openScenario, type Scenario } from './scenario/run.ts'
import type { VenueDoor } from './wire/message.ts'
import type { WordTexts } from './words/read.ts'
import { type WordDesk, wordOf } from './words/words.ts'

type Parts = EmbeddedParts & {
  readonly log: Log
  readonly sleep: (ms: number) => Promise<void>
  /** Whether callers are counted as the live venue counts them. */
  readonly limits: 'live' | null
  readonly scenario: Scenario | null
  /** Told of each venue that is opened, the first included. */
  readonly onOpened: (venue: EmbeddedVenue) => void
}

/** Tells the venue a word. Null for one that there is not; throws Failure. */
export type TellVenue = (name: string, texts: WordTexts) => Promise<object | null>

/** The embedded venue as its operator runs it: behind its limits and faults, and told words; it may be put back. */
export type OperatedVenue = Omit<EmbeddedVenue, 'answer' | 'exchange'> & {
  readonly answer: VenueDoor
  readonly tell: TellVenue
}

type Opened = {
  readonly venue: EmbeddedVenue
  readonly faults: FaultDesk
  readonly door: VenueDoor
  readonly desk: WordDesk
}

/** Opens the venue, and again whenever it is put back to what was kept or to its genesis. */
export function createOperatedVenue(parts: Parts): OperatedVenue {
  let current = open()
  const { live, interrupt } = faultyLive(
    () => current.venue.live,
    () => current.faults,
  )

  function open(): Opened {
    const venue = createEmbeddedVenue(parts)
    const { clock } = venue.time
    const faults = openFaults({ ...parts, clock })
    const counted = parts.limits === null ? venue.answer : limited(venue.answer, clock)
    const desk = deskOf(parts, venue, faults, reopen)
    if (parts.scenario) {
      const agenda = openScenario(parts.scenario, { ...parts, ...venue, clock, desk })
      venue.exchange.attend(agenda)
      // What is timed needs a world to happen in, asked for or not.
      venue.exchange.floor()
    }
    parts.onOpened(venue)
    return { venue, faults, door: faultFront(counted, { ...parts, faults }), desk }
  }

  function reopen(): number {
    current = open()
    interrupt()
    return current.venue.time.clock.nowMs()
  }

  return {
    answer: (request) => current.door(request),
    advance: () => current.venue.advance(),
    affiliates: {
      appoint: (accountId) => current.venue.affiliates.appoint(accountId),
      promote: (accountId) => current.venue.affiliates.promote(accountId),
    },
    practice: {
      list: (rowsMax) => current.venue.practice.list(rowsMax),
      show: (accountId) => current.venue.practice.show(accountId),
      fund: (accountId, micros, atMs) => current.venue.practice.fund(accountId, micros, atMs),
    },
    indexOf: (symbol) => current.venue.indexOf(symbol),
    check: () => current.venue.check(),
    arrived: () => current.venue.arrived(),
    time: currentTime(() => current.venue.time),
    live,
    tell: async (name, texts) => {
      if (!isWordName(name)) return null
      const word = wordOf(name, texts)
      const { venue, desk } = current
      await settled(venue)
      const said = await word(desk, venue.time.clock.nowMs())
      await settled(current.venue)
      return said
    },
  }
}

/** Lets a running clock, and a world that has been asked for, come to now. */
async function settled({ advance, arrived, exchange }: EmbeddedVenue): Promise<void> {
  advance()
  if (exchange.isOpen()) await arrived()
}

/** The time of the venue that there is now. */
function currentTime(now: () => EmbeddedVenue['time']): EmbeddedVenue['time'] {
  const { advance, run, madeAtMs, genesisMs } = now()
  return {
    clock: { nowMs: () => now().clock.nowMs() },
    madeAtMs,
    genesisMs,
    advance: advance && ((ms) => now().advance?.(ms)),
    run: run && ((times) => now().run?.(times)),
    times: () => now().times(),
    tick: () => now().tick(),
    reach: (atMs) => now().reach(atMs),
  }
}

function deskOf(
  parts: Parts,
  venue: EmbeddedVenue,
  faults: FaultDesk,
  reopen: () => number,
): WordDesk {
  const { exchange, practice, time, check } = venue
  return {
    engine: () => exchange.floor().engine,
    practice,
    faults,
    archive: openArchive(parts.entities),
    save: () => {
      exchange.floor().engine.save()
      exchange.commit()
    },
    reopen,
    advance: time.advance,
    run: time.run,
    nowMs: () => time.clock.nowMs(),
    check,
  }
}
