import { type IsOver, NEVER_OVER, type Steps } from '../../base/steps.ts'
import type { Journal } from '../../history/journal.ts'
import type { World } from '../../state/world.ts'
import type { RequestLog } from './log.ts'
import { partsOf } from './parts.ts'
import { snapshotRows } from './snapshot.ts'

/** Stores a world anew when much has happened in it, a step at a time, while it stands still. */
export type Saving = {
  /** One request more has happened. */
  readonly count: () => void
  /** Whether so much has happened since the last time. */
  readonly isDue: () => boolean
  /** Begins, unless it is under way. */
  readonly begin: () => void
  readonly isUnderWay: () => boolean
  /** Goes on until it is enough for now; answers whether nothing is left, which a failure is as well. */
  readonly goOn: (isOver: IsOver) => boolean
  /** Finishes what is under way. */
  readonly finish: () => void
  /** Stores the world in one transaction, whatever is under way. */
  readonly atOnce: () => void
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
  let under: Steps<void> | null = null

  function saved(): void {
    requests = 0
    savedEvents = world.counts.events
    under = null
  }

  /** Whether there is more to do. */
  function step(running: Steps<void>): boolean {
    try {
      if (!running.next().done) return true
      saved()
    } catch (error) {
      under = null
      failed?.(error)
    }
    return false
  }

  function goOn(isOver: IsOver): boolean {
    while (under && step(under)) if (isOver()) return false
    return true
  }

  return {
    count: () => {
      requests += 1
    },
    isDue: () =>
      requests >= savedEvery.requests || world.counts.events - savedEvents >= savedEvery.events,
    begin: () => {
      under ??= log.replaceSteps(partsOf(storedOf(world, journals)))
    },
    isUnderWay: () => under !== null,
    goOn,
    finish: () => void goOn(NEVER_OVER),
    atOnce: () => {
      under = null
      log.replace(partsOf(storedOf(world, journals)))
      saved()
    },
  }
}

/** What is stored of a world and its journals: rows are made when they are written. */
function storedOf(world: World, journals: readonly Journal[]) {
  const kept = Object.fromEntries(journals.map((journal) => [journal.name, journal.save()]))
  return { world: snapshotRows(world), kept }
}
