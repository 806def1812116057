import type { Journal } from '../../history/journal.ts'
import type { World } from '../../state/world.ts'
import type { RequestLog } from './log.ts'
import { partsOf } from './parts.ts'
import { snapshotRows } from './snapshot.ts'

/** Stores a snapshot after many events. */
export type Saving = {
  /** Counts a request. */
  readonly count: () => void
  /** Stores a snapshot when it is due; an error of the store is reported and retried later. */
  readonly whenDue: () => void
  /** Stores a snapshot. Throws the store's error, with nothing changed. */
  readonly now: () => void
}

type SavingParts = {
  readonly savedEvery?: SavingInterval
  readonly world: World
  readonly journals: readonly Journal[]
  readonly log: RequestLog
  /** Receives errors of the store, after which the next attempt starts again. */
  readonly failed: (error: unknown) => void
}

/** The number of events or requests after which a snapshot is stored. */
export type SavingInterval = { readonly events: number; readonly requests: number }

/** About a second of replay. */
const SAVED_EVERY: SavingInterval = { events: 250_000, requests: 50_000 }

export function createSaving(parts: SavingParts): Saving {
  const { world, journals, log, failed, savedEvery = SAVED_EVERY } = parts
  let requests = 0
  let savedEvents = world.counts.events

  function isDue(): boolean {
    const events = world.counts.events - savedEvents
    return requests >= savedEvery.requests || events >= savedEvery.events
  }

  function now(): void {
    log.replace(partsOf(storedOf(world, journals)))
    requests = 0
    savedEvents = world.counts.events
  }

  return {
    count: () => {
      requests += 1
    },
    whenDue: () => {
      if (!isDue()) return
      try {
        now()
      } catch (error) {
        failed(error)
      }
    },
    now,
  }
}

/** The stored form of a world and its journals; rows are created as they are written. */
function storedOf(world: World, journals: readonly Journal[]) {
  const kept = Object.fromEntries(journals.map((journal) => [journal.name, journal.save()]))
  return { world: snapshotRows(world), kept }
}
