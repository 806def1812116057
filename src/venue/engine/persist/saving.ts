import type { Journal } from '../../history/journal.ts'
import type { World } from '../../state/world.ts'
import type { RequestLog } from './log.ts'
import { partsOf } from './parts.ts'
import { snapshotRows } from './snapshot.ts'

/** Stores a world anew when much has happened in it. */
export type Saving = {
  /** One request more has happened. */
  readonly count: () => void
  /** Stores the world where much has happened since the last time; a store that fails is reported, and tried again. */
  readonly whenDue: () => void
  /** Stores the world. Throws what the store throws: nothing has changed then. */
  readonly now: () => void
}

type SavingParts = {
  readonly savedEvery?: SavingInterval
  readonly world: World
  readonly journals: readonly Journal[]
  readonly log: RequestLog
  /** Receives the error of the store: nothing has changed, and it may begin anew. */
  readonly failed?: (error: unknown) => void
}

/** How many events or requests happen between two times that a world is stored. */
export type SavingInterval = { readonly events: number; readonly requests: number }

/** About a second of work to run again. */
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
        failed?.(error)
      }
    },
    now,
  }
}

/** What is stored of a world and its journals: rows are made when they are written. */
function storedOf(world: World, journals: readonly Journal[]) {
  const kept = Object.fromEntries(journals.map((journal) => [journal.name, journal.save()]))
  return { world: snapshotRows(world), kept }
}
