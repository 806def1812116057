import type { EntityChange, EntityStore } from '../../../core/ports.ts'
import type { Steps } from '../../steps.ts'
import { droppedInTurns, keyOf, numberOf } from './keys.ts'
import { PARTS, readSnapshot, switched } from './stored.ts'

/** Stores a snapshot and what was asked since: the one in parts, the other one row a request. */
export type RequestLog = {
  /** What the last snapshot was made of, whichever version wrote it; null when there is none. */
  readonly snapshot: unknown
  /** Every request since then, oldest first. */
  readonly since: readonly string[]
  /** Notes a request. It is durable once `commit` has returned. */
  readonly append: (json: string) => void
  /** Writes what was noted in one transaction. When the store throws, the notes stay for the next one. */
  readonly commit: () => void
  /** Replaces snapshot and log by a snapshot in parts, in one transaction. */
  readonly replace: (parts: Iterable<string>) => void
  /**
   * The same, a part a transaction, where all that was noted is stored: until one of them puts the new snapshot in the
   * place of the former, that one and the log are whole. Throws what the store throws; the next one begins anew.
   */
  readonly replaceSteps: (parts: Iterable<string>) => Steps<void>
}

const ENTRIES = 'engine-request'
/** Rows that nobody needs any more are dropped so many at a time. */
const DROPPED_A_STEP = { parts: 8, entries: 200 } as const
const READ_A_STEP = 500

/** Where the rows of the log are. */
type Extent = {
  /** Rows that tell the snapshot beside its parts. */
  pieces: number
  /** From which part on, and up to which, there may be any. */
  from: number
  end: number
  /** From which request on there may be any, and the last one. */
  entriesFrom: number
  sequence: number
}

/** Reads the log in turns. Of `direct`, the same store, each commit is written at once. */
export function* openLog(entities: EntityStore, direct: EntityStore): Steps<RequestLog> {
  const { snapshot, rows, requestsTo } = yield* readSnapshot(entities)
  const entries = yield* readEntries(entities)
  const extent: Extent = {
    ...rows,
    entriesFrom: entries[0]?.number ?? requestsTo + 1,
    sequence: Math.max(requestsTo, entries.at(-1)?.number ?? 0),
  }
  let noted: EntityChange[] = []
  return {
    snapshot,
    since: entries.filter(({ number }) => number > requestsTo).map(({ json }) => json),
    append: (json) => {
      extent.sequence += 1
      noted.push({ kind: ENTRIES, key: keyOf(extent.sequence), json })
    },
    commit: () => {
      if (noted.length === 0) return
      entities.commit(noted)
      noted = []
    },
    replace: (parts) => {
      const after = { ...extent }
      entities.commit([...replacing(after, parts)].flat())
      Object.assign(extent, after)
      noted = []
    },
    *replaceSteps(parts) {
      for (const changes of replacing(extent, parts)) {
        direct.commit(changes)
        yield
      }
    },
  }
}

function* readEntries(entities: EntityStore): Steps<{ number: number; json: string }[]> {
  const entries: { number: number; json: string }[] = []
  for (const row of entities.load(ENTRIES)) {
    entries.push({ number: numberOf(row), json: row.json })
    if (entries.length % READ_A_STEP === 0) yield
  }
  return entries
}

/** The transactions that put a snapshot in the place of the former. The extent is what the store has after each. */
function* replacing(extent: Extent, parts: Iterable<string>): Generator<readonly EntityChange[]> {
  const first = extent.end
  for (const json of parts) {
    const key = keyOf(extent.end)
    extent.end += 1
    yield [{ kind: PARTS, key, json }]
  }
  const { end, sequence: requestsTo } = extent
  yield switched({ first, end, requestsTo }, extent.pieces)
  extent.pieces = 1
  yield* droppedInTurns(PARTS, extent.from, first, DROPPED_A_STEP.parts)
  extent.from = first
  yield* droppedInTurns(ENTRIES, extent.entriesFrom, requestsTo + 1, DROPPED_A_STEP.entries)
  extent.entriesFrom = requestsTo + 1
}
