import type { EngineJournal } from '../../history/journal.ts'
import type { EngineWorld } from '../../state/world.ts'
import type { RequestLog } from './log.ts'
import { treeParts } from './parts.ts'
import { marketHistoryRows, snapshotRows } from './snapshot.ts'

/**
 * Stores snapshots of a world in short steps, so that the thread answers requests in between. The first steps copy the
 * state of one moment, and until all is copied the world must not change. The further steps write it.
 */
export type Saving = {
  /** Counts a request. */
  readonly count: () => void
  /** Copies the rest of the state, or until `isOver` is true. Returns whether the world may change. */
  readonly copied: (isOver?: () => boolean) => boolean
  /** Takes the next step of a snapshot that has begun. An error of the store is reported, and ends the snapshot. */
  readonly goOn: () => void
  /** Begins a snapshot if it is due, or goes on with it. Call it when all requests are committed. */
  readonly whenDue: () => void
  /** Stores a snapshot of the current state. If it throws the store's error, the last snapshot stays valid. */
  readonly now: () => void
}

export type SavingOptions = {
  readonly savedEvery?: SavingInterval
  readonly world: EngineWorld
  readonly journals: readonly EngineJournal[]
  readonly log: RequestLog
  /** Receives errors of storing a snapshot. */
  readonly failed: (error: unknown) => void
}

/** Number of events or requests after which a snapshot is due. */
type SavingInterval = { readonly events: number; readonly requests: number }

/** Replaying this much takes about a second. */
const SAVED_EVERY: SavingInterval = { events: 250_000, requests: 50_000 }

/** A snapshot that has begun. */
type Begun = {
  /** The parts that are still to copy; null once the world may change. */
  copying: Iterator<string> | null
  readonly copied: string[]
  /** Writes one part, or deletes old rows, per step. */
  readonly writing: Iterator<unknown>
  /** The requests and events up to the snapshot. */
  readonly requests: number
  readonly events: number
}

export function createSaving(parts: SavingOptions): Saving {
  const { world, failed, savedEvery = SAVED_EVERY } = parts
  let requests = 0
  let savedEvents = world.counts.events
  let begun: Begun | null = null

  function isDue(): boolean {
    const events = world.counts.events - savedEvents
    return requests >= savedEvery.requests || events >= savedEvery.events
  }

  /** Takes one step. Returns whether the snapshot is stored. */
  function step(snapshot: Begun): boolean {
    if (snapshot.copying) copyPart(snapshot)
    else if (snapshot.writing.next().done) {
      requests -= snapshot.requests
      savedEvents = snapshot.events
      return true
    }
    return false
  }

  function goOn(): void {
    if (!begun) return
    try {
      if (step(begun)) begun = null
    } catch (error) {
      begun = null
      failed(error)
    }
  }

  return {
    count: () => {
      requests += 1
    },
    copied: (isOver = () => false) => {
      while (begun?.copying) {
        copyPart(begun)
        if (isOver()) break
      }
      return !begun?.copying
    },
    goOn,
    whenDue: () => {
      try {
        if (!begun && isDue()) begun = begin(parts, requests)
      } catch (error) {
        failed(error)
      }
      goOn()
    },
    now: () => {
      begun = null
      const snapshot = begin(parts, requests)
      while (!step(snapshot));
    },
  }
}

function begin({ world, journals, log }: SavingOptions, requests: number): Begun {
  const kept = Object.fromEntries(journals.map((journal) => [journal.name, journal.save()]))
  const copied: string[] = []
  return {
    copying: treeParts({ world: snapshotRows(world), kept }),
    copied,
    writing: log.replace(copiedFirst(copied, treeParts({ histories: marketHistoryRows(world) }))),
    requests,
    events: world.counts.events,
  }
}

function copyPart(snapshot: Begun): void {
  const { value, done } = snapshot.copying?.next() ?? { done: true }
  if (done) snapshot.copying = null
  else snapshot.copied.push(value)
}

/** The copied parts, and then the parts that are created while they are written. */
function* copiedFirst(copied: readonly string[], further: Iterable<string>): Generator<string> {
  yield* copied
  yield* further
}
