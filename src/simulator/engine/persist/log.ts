import { isObject, parsedJson } from '../../../core/json.ts'
import type { EntityChange, EntityStore } from '../../../core/ports.ts'
import { packText } from '../../history/packed.ts'
import { createAssembly } from './parts.ts'

/** The stored world: a snapshot in parts, and one row per request after it. */
export type RequestLog = {
  /** The data of the last snapshot; null without a snapshot. */
  readonly snapshot: unknown
  /** The requests since the snapshot, oldest first. */
  readonly since: readonly string[]
  /** Adds a request. It is durable once `commit` has returned. */
  readonly append: (json: string) => void
  /** Writes the added requests in one transaction. If the store throws, the next commit writes them. */
  readonly commit: () => void
  /**
   * Replaces the snapshot and the requests so far. All of them must be committed before this call. Each step of the
   * iterator commits one transaction, and may throw the store's error. The old snapshot and its requests stay valid
   * until one transaction switches to the new snapshot. A replacement that is left unfinished is cleaned up by the next
   * replacement.
   */
  readonly replace: (parts: Iterable<string>) => Iterator<unknown>
}

/** The kind of the row that lists the snapshot's parts. The first request writes it too. */
const TABLE = 'engine-snapshot'
const PARTS = 'engine-part'
const ENTRIES = 'engine-request'
/** The version of the stored form of a world. */
const WORLD_VERSION = 7
/** The versions that can be read. Version 6 has uncompressed parts, and the trades and candles in the scenes. */
const READABLE_VERSIONS: readonly unknown[] = [6, WORLD_VERSION]

/** Maximum number of rows that are read or deleted at once. Parts are large, so their numbers are small. */
const ROWS_AT_A_TIME = { partsRead: 8, partsDropped: 8, entriesDropped: 200 } as const
const KEY_DIGITS = 15

/** The range of the snapshot's parts, and the number of the last request in it. An empty range means no snapshot. */
type Table = { readonly first: number; readonly end: number; readonly requestsTo: number }

const NO_SNAPSHOT: Table = { first: 0, end: 0, requestsTo: 0 }

/**
 * The entity that records a world's order flow. Its key is the activity, its value the version of the flow. With
 * another version, the stored requests would have other outcomes.
 */
export const ACTIVITY_ENTITY = { kind: 'venue-activity', json: '{"flow":3}' } as const

/** Whether a store has no world or a world of this version. The version of the order flow counts only if `hasFlow`. */
export function isReadableWorld(entities: EntityStore, hasFlow: boolean): boolean {
  const [activity] = entities.load(ACTIVITY_ENTITY.kind)
  if (hasFlow && activity && activity.json !== ACTIVITY_ENTITY.json) return false
  const rows = Array.from(entities.load(TABLE))
  if (rows.length > 0) return rows.length === 1 && parseTable(rows[0]?.json ?? '') !== null
  return !entities.kinds().some((kind) => kind === ENTRIES || kind === 'account')
}

/** The ranges of stored rows. */
type Extent = {
  /** The range in which parts may exist. */
  from: number
  end: number
  /** The range in which requests may exist. */
  entriesFrom: number
  sequence: number
}

/**
 * Reads the log. `entities` may collect writes for a later commit; `direct` is the same store, but commits at once.
 * Throws RangeError for a world of another version or with a missing part.
 */
export function openLog(entities: EntityStore, direct: EntityStore, hasFlow: boolean): RequestLog {
  if (!isReadableWorld(entities, hasFlow)) throw new RangeError('a world of another version')
  const [row] = entities.load(TABLE)
  const { requestsTo, ...table } = (row && parseTable(row.json)) ?? NO_SNAPSHOT
  const { snapshot, from, end } = readParts(entities, table)
  const entries = readEntries(entities)
  const extent: Extent = {
    ...{ from, end },
    entriesFrom: entries[0]?.number ?? requestsTo + 1,
    sequence: Math.max(requestsTo, entries.at(-1)?.number ?? 0),
  }
  let pending: EntityChange[] = []
  let hasTable = row !== undefined
  return {
    snapshot,
    since: entries.filter(({ number }) => number > requestsTo).map(({ json }) => json),
    append: (json) => {
      extent.sequence += 1
      pending.push({ kind: ENTRIES, key: paddedRowKey(extent.sequence), json })
    },
    commit: () => {
      if (pending.length === 0) return
      entities.commit(hasTable ? pending : [tableRow(NO_SNAPSHOT), ...pending])
      pending = []
      hasTable = true
    },
    replace: (parts) => {
      // Written now, so that no later commit of requests can write over the row of the new snapshot.
      if (!hasTable) direct.commit([tableRow(NO_SNAPSHOT)])
      hasTable = true
      return replacing(extent, extent.sequence, parts).map((changes) => direct.commit(changes))
    },
  }
}

/** The snapshot's data and the range of stored parts. Parts of an unfinished snapshot count for the range only. */
function readParts(
  entities: EntityStore,
  { first, end }: Omit<Table, 'requestsTo'>,
): { readonly snapshot: unknown; readonly from: number; readonly end: number } {
  const assembly = createAssembly()
  const isEmpty = first === end
  const extent = { from: isEmpty ? Number.POSITIVE_INFINITY : first, end }
  let found = 0
  for (const row of entities.load(PARTS, ROWS_AT_A_TIME.partsRead)) {
    const number = Number(row.key)
    extent.from = Math.min(extent.from, number)
    extent.end = Math.max(extent.end, number + 1)
    if (number < first || number >= end) continue
    assembly.add(row.json)
    found += 1
  }
  if (found !== end - first) throw new RangeError('a snapshot lacks a part')
  extent.from = Math.min(extent.from, extent.end)
  return { snapshot: isEmpty ? null : assembly.tree(), ...extent }
}

function readEntries(entities: EntityStore): { readonly number: number; readonly json: string }[] {
  return Array.from(entities.load(ENTRIES), ({ key, json }) => ({ number: Number(key), json }))
}

/** The transactions that replace a snapshot, in order. Each also updates the extent. */
function* replacing(
  extent: Extent,
  requestsTo: number,
  parts: Iterable<string>,
): Generator<readonly EntityChange[]> {
  const first = extent.end
  for (const part of parts) {
    const key = paddedRowKey(extent.end)
    extent.end += 1
    yield [{ kind: PARTS, key, json: packText(part) }]
  }
  const { end } = extent
  yield [tableRow({ first, end, requestsTo })]
  yield* deletions(PARTS, extent.from, first, ROWS_AT_A_TIME.partsDropped)
  extent.from = first
  yield* deletions(ENTRIES, extent.entriesFrom, requestsTo + 1, ROWS_AT_A_TIME.entriesDropped)
  extent.entriesFrom = requestsTo + 1
}

/** Deletes a range of rows in transactions of limited size. */
function* deletions(
  kind: string,
  from: number,
  to: number,
  rowsMax: number,
): Generator<EntityChange[]> {
  for (let at = from; at < to; at += rowsMax)
    yield Array.from({ length: Math.min(rowsMax, to - at) }, (_, offset) => ({
      ...{ kind, key: paddedRowKey(at + offset), json: null },
    }))
}

/** Keys are padded, because the store loads rows in the order of their keys. */
function paddedRowKey(number: number): string {
  return String(number).padStart(KEY_DIGITS, '0')
}

function tableRow(table: Table): EntityChange {
  const json = JSON.stringify({ world: { version: WORLD_VERSION }, ...table })
  return { kind: TABLE, key: paddedRowKey(0), json }
}

/**
 * The parts table in a row; null if another version wrote the row. Before version 3 the row was a piece of a snapshot
 * and not JSON.
 */
function parseTable(json: string): Table | null {
  const row = parsedJson(json)
  const { world, first, end, requestsTo } = isObject(row) ? row : {}
  if (!isObject(world) || !READABLE_VERSIONS.includes(world['version'])) return null
  return { first: Number(first), end: Number(end), requestsTo: Number(requestsTo) }
}
