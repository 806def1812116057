import { isObject } from '../../../core/json.ts'
import type { EntityChange, EntityStore } from '../../../core/ports.ts'
import { createAssembly } from './parts.ts'

/** A snapshot in parts and the requests since then, one row a request. */
export type RequestLog = {
  /** The tree that the last snapshot was made of; null when there is none. */
  readonly snapshot: unknown
  /** Every request since then, oldest first. */
  readonly since: readonly string[]
  /** Adds a request. It is durable once `commit` has returned. */
  readonly append: (json: string) => void
  /** Writes what was added in one transaction. When the store throws, it stays for the next commit. */
  readonly commit: () => void
  /**
   * Replaces snapshot and log by a snapshot in parts, a part a transaction, where all that was added is in the store: until
   * one transaction switches to the new snapshot, the old one and the log are whole. Throws what the store throws; the
   * next call begins anew.
   */
  readonly replace: (parts: Iterable<string>) => void
}

/** The row that says which parts are the snapshot. It is written with the first request. */
const TABLE = 'engine-snapshot'
const PARTS = 'engine-part'
const ENTRIES = 'engine-request'
/** The version of everything that is stored of a world. */
const WORLD_VERSION = 5

/** Rows read or deleted at a time: parts are large. */
const ROWS_AT_A_TIME = { partsRead: 8, partsDropped: 8, entriesDropped: 200 } as const
const KEY_DIGITS = 15

/** Which parts are the snapshot, and the last request that happened in it. No parts: there is no snapshot. */
type Table = { readonly first: number; readonly end: number; readonly requestsTo: number }

const NO_SNAPSHOT: Table = { first: 0, end: 0, requestsTo: 0 }

/** Whether the world of a store can be opened: it has the version of this program, or there is none. */
export function isReadableWorld(entities: EntityStore): boolean {
  const rows = Array.from(entities.load(TABLE))
  if (rows.length > 0) return rows.length === 1 && tableOf(rows[0]?.json ?? '') !== null
  return !entities.kinds().some((kind) => kind === ENTRIES || kind === 'account')
}

/** Where the rows of the log are. */
type Extent = {
  /** From which part on, and up to which, there may be any. */
  from: number
  end: number
  /** From which request on there may be any, and the last one. */
  entriesFrom: number
  sequence: number
}

/**
 * Reads the log. Each commit of `direct`, the same store, is written at once. Throws RangeError for a world of another
 * version, or one that lacks a part.
 */
export function openLog(entities: EntityStore, direct: EntityStore): RequestLog {
  if (!isReadableWorld(entities)) throw new RangeError('a world of another version')
  const [row] = entities.load(TABLE)
  const { requestsTo, ...table } = (row && tableOf(row.json)) ?? NO_SNAPSHOT
  const { snapshot, from, end } = readParts(entities, table)
  const entries = readEntries(entities)
  const extent: Extent = {
    ...{ from, end },
    entriesFrom: entries[0]?.number ?? requestsTo + 1,
    sequence: Math.max(requestsTo, entries.at(-1)?.number ?? 0),
  }
  let pending: EntityChange[] = row ? [] : [tableRow(NO_SNAPSHOT)]
  return {
    snapshot,
    since: entries.filter(({ number }) => number > requestsTo).map(({ json }) => json),
    append: (json) => {
      extent.sequence += 1
      pending.push({ kind: ENTRIES, key: keyOf(extent.sequence), json })
    },
    commit: () => {
      if (pending.every(({ kind }) => kind === TABLE)) return
      entities.commit(pending)
      pending = []
    },
    replace: (parts) => {
      for (const changes of replacing(extent, parts)) direct.commit(changes)
      pending = []
    },
  }
}

/** The tree of the snapshot's parts, and where parts are; those of a snapshot that was never finished are left out. */
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

/** The transactions that replace the snapshot. The extent is updated to what the store has after each. */
function* replacing(extent: Extent, parts: Iterable<string>): Generator<readonly EntityChange[]> {
  const first = extent.end
  for (const json of parts) {
    const key = keyOf(extent.end)
    extent.end += 1
    yield [{ kind: PARTS, key, json }]
  }
  const { end, sequence: requestsTo } = extent
  yield [tableRow({ first, end, requestsTo })]
  yield* deletions(PARTS, extent.from, first, ROWS_AT_A_TIME.partsDropped)
  extent.from = first
  yield* deletions(ENTRIES, extent.entriesFrom, requestsTo + 1, ROWS_AT_A_TIME.entriesDropped)
  extent.entriesFrom = requestsTo + 1
}

/** Deletions of the rows numbered from one up to another, so many at a time. */
function* deletions(
  kind: string,
  from: number,
  to: number,
  rowsMax: number,
): Generator<EntityChange[]> {
  for (let at = from; at < to; at += rowsMax)
    yield Array.from({ length: Math.min(rowsMax, to - at) }, (_, offset) => ({
      ...{ kind, key: keyOf(at + offset), json: null },
    }))
}

/** Rows are loaded in the order of their keys. */
function keyOf(number: number): string {
  return String(number).padStart(KEY_DIGITS, '0')
}

function tableRow(table: Table): EntityChange {
  const json = JSON.stringify({ world: { version: WORLD_VERSION }, ...table })
  return { kind: TABLE, key: keyOf(0), json }
}

/** The table of a row; null for what another version wrote: before version 3 a piece of a snapshot, not always JSON. */
function tableOf(json: string): Table | null {
  if (!json.startsWith(`{"world":{"version":${WORLD_VERSION}}`)) return null
  const row: unknown = JSON.parse(json)
  const { first, end, requestsTo } = isObject(row) ? row : {}
  return { first: Number(first), end: Number(end), requestsTo: Number(requestsTo) }
}
