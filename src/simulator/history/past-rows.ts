import type { EntityChange } from '../../core/ports.ts'
import { createEngineJournal, type EngineJournal } from './journal.ts'
import { packJson } from './packed.ts'

/** The values by which a row is found and sorted. Times in ms; numbers, because many are held in memory. */
export type RowHead = {
  readonly id: number
  readonly atMs: number
  readonly updatedAtMs: number
  /** Another number to look rows up by, such as the number of their order; 0 without one. */
  readonly reference: number
  /** The number of a text to select rows by, which may change from row to row; 0 without a text. */
  readonly tag: number
}

/** The number by which a text is found. */
export function textNumber(text: string | null): number {
  return text === null ? 0 : Bun.hash.crc32(text)
}

/** A history of accounts. A facet is the small part of a row that rows are selected by: many rows have the same. */
export type RowKind<Row, Facet> = {
  readonly name: string
  readonly head: (row: Row) => RowHead
  readonly facet: (row: Row) => Facet
  /** Whether a row no longer changes. Absent when rows never change. */
  readonly isFinal?: (row: Row) => boolean
}

/** The rows that leave memory at a time, and are stored and read together. */
export const CHUNK_ROWS = 128
/** Maximum number of chunks per history, about a hundred thousand rows. Beyond it the oldest chunk is deleted. */
const CHUNKS_MAX = 800

/** Rows of an account's history that left memory together. */
export type Chunk = {
  readonly list: string
  /** Counted from the account's first chunk. */
  readonly number: number
  readonly rows: readonly unknown[]
  /** The rows' heads and facets, the stored index. */
  readonly index: ChunkIndex
}

/** The heads of a chunk as columns; each row has the number of its facet, which is JSON text. */
export type ChunkIndex = {
  readonly ids: readonly number[]
  readonly ats: readonly number[]
  readonly updates: readonly number[]
  readonly references: readonly number[]
  readonly tags: readonly number[]
  readonly facets: readonly number[]
  readonly names: readonly string[]
}

/** The rows of accounts that have left memory. */
export type PastRows = EngineJournal & {
  /** Appends a row to an account's latest rows and moves the oldest out of memory. Returns the row. */
  readonly keep: <Row, Facet>(kind: RowKind<Row, Facet>, to: AccountRows<Row>, row: Row) => Row
  /** The number of rows of an account's history that have left memory, including dropped ones. */
  readonly moved: (list: string) => number
  /** Receives each chunk as it leaves memory. */
  readonly onMoved: (take: (chunk: Chunk) => void) => void
}

/** The latest rows of an account's history, oldest first. */
export type AccountRows<Row> = {
  readonly account: { readonly number: number }
  readonly rows: Row[]
}

/** The name of an account's history in the store. */
export function listName(kind: { readonly name: string }, account: { readonly number: number }) {
  return `${account.number} ${kind.name}`
}

/** The number of rows that left memory and have been deleted since. */
export function droppedCount(moved: number): number {
  return Math.max(0, moved - CHUNKS_MAX * CHUNK_ROWS)
}

export function createPastRows(): PastRows {
  const state = { moved: new Map<string, number>() }
  const leaving: EntityChange[] = []
  const takers: ((chunk: Chunk) => void)[] = []

  function move<Row, Facet>(kind: RowKind<Row, Facet>, { account, rows }: AccountRows<Row>): void {
    const list = listName(kind, account)
    const before = state.moved.get(list) ?? 0
    const own = rows.splice(0, CHUNK_ROWS)
    const chunk = { list, number: before / CHUNK_ROWS, rows: own, index: toChunkIndex(kind, own) }
    state.moved.set(list, before + CHUNK_ROWS)
    leaving.push(...stored(chunk))
    for (const take of takers) take(chunk)
  }

  return {
    ...createEngineJournal('past', state, { observer: {} }),
    keep: (kind, to, row) => {
      const { rows } = to
      rows.push(row)
      while (rows.length >= 2 * CHUNK_ROWS && isLeaving(kind, rows)) move(kind, to)
      return row
    },
    moved: (list) => state.moved.get(list) ?? 0,
    onMoved: (take) => void takers.push(take),
    leave: () => leaving.splice(0),
  }
}

function isLeaving<Row, Facet>({ isFinal }: RowKind<Row, Facet>, rows: readonly Row[]): boolean {
  return !isFinal || rows.slice(0, CHUNK_ROWS).every(isFinal)
}

function toChunkIndex<Row, Facet>(kind: RowKind<Row, Facet>, rows: readonly Row[]): ChunkIndex {
  const heads = rows.map(kind.head)
  const texts = rows.map((row) => JSON.stringify(kind.facet(row)))
  const names = [...new Set(texts)]
  return {
    ids: heads.map(({ id }) => id),
    ats: heads.map(({ atMs }) => atMs),
    updates: heads.map(({ updatedAtMs }) => updatedAtMs),
    references: heads.map(({ reference }) => reference),
    tags: heads.map(({ tag }) => tag),
    facets: texts.map((text) => names.indexOf(text)),
    names,
  }
}

/** The changes that store a chunk and delete the one beyond the maximum. */
function stored({ list, number, rows, index }: Chunk): EntityChange[] {
  const oldest = number - CHUNKS_MAX
  return [
    { ...rowsEntity(list, number), json: packJson(rows) },
    { ...indexEntity(list, number), json: indexText(index) },
    ...(oldest < 0
      ? []
      : [
          { ...rowsEntity(list, oldest), json: null },
          { ...indexEntity(list, oldest), json: null },
        ]),
  ]
}

/**
 * An index as text: columns of numbers as differences, which is short without compression. The first read of a history
 * reads all of its indexes.
 */
function indexText({ names, ...columns }: ChunkIndex): string {
  const differences = Object.entries(columns).map(([name, values]) => [
    name,
    values.map((value, at) => value - (values[at - 1] ?? 0)),
  ])
  return JSON.stringify({ names, ...Object.fromEntries(differences) })
}

/** The index of a text that `indexText` wrote. */
export function indexFrom(text: string): ChunkIndex {
  const { names, ids, ats, updates, references, tags, facets } = JSON.parse(text) as ChunkIndex
  return {
    names,
    ids: sums(ids),
    ats: sums(ats),
    updates: sums(updates),
    references: sums(references),
    tags: sums(tags),
    facets: sums(facets),
  }
}

function sums(differences: readonly number[]): number[] {
  const values: number[] = []
  let sum = 0
  for (let at = 0; at < differences.length; at += 1) {
    sum += differences[at] ?? 0
    values.push(sum)
  }
  return values
}

/** Each chunk is a kind of its own, so that it can be read alone. */
export function rowsEntity(list: string, number: number) {
  return { kind: `engine-rows ${list} ${number}`, key: 'rows' }
}

const KEY_DIGITS = 9

export function indexEntity(list: string, number: number) {
  return { kind: `engine-row-index ${list}`, key: String(number).padStart(KEY_DIGITS, '0') }
}
