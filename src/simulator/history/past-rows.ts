import type { EntityChange } from '../../core/ports.ts'
import { createEngineJournal, type EngineJournal } from './journal.ts'
import { packJson } from './packed.ts'

/** The values by which a row is found and sorted. All are numbers, since many are held in memory. Times are in ms. */
export type RowHead = {
  readonly id: number
  readonly atMs: number
  readonly updatedAtMs: number
  /** A further number by which rows are found, such as the id of their order; 0 without such a number. */
  readonly reference: number
  /** A number that stands for a text by which rows are selected; it may differ per row. 0 if there is no text. */
  readonly tag: number
}

/** A number that stands for a text in searches. */
export function textNumber(text: string | null): number {
  return text === null ? 0 : Bun.hash.crc32(text)
}

/** A kind of account history. A facet is the part of a row by which rows are selected. Many rows have equal facets. */
export type RowKind<Row, Facet> = {
  readonly name: string
  readonly head: (row: Row) => RowHead
  readonly facet: (row: Row) => Facet
  /** Whether a row is final; absent if every row is. */
  readonly isFinal?: (row: Row) => boolean
}

/** Number of rows that leave memory together. They are also stored and read together. */
export const CHUNK_ROWS = 128
/** Maximum number of chunks per history, about 100,000 rows. Beyond it, the oldest chunk is deleted. */
const CHUNKS_MAX = 800

/** Rows of an account's history that left memory together. */
export type Chunk = {
  readonly list: string
  /** Position among the chunks of the history, from 0. */
  readonly number: number
  readonly rows: readonly unknown[]
  /** The index of the chunk as it is stored: the search values (`RowHead`) and facets of its rows. */
  readonly index: ChunkIndex
}

/** The `RowHead`s of a chunk's rows as columns. `facets` has each row's position in `names`, the facets' JSON texts. */
export type ChunkIndex = {
  readonly ids: readonly number[]
  readonly ats: readonly number[]
  readonly updates: readonly number[]
  readonly references: readonly number[]
  readonly tags: readonly number[]
  readonly facets: readonly number[]
  readonly names: readonly string[]
}

/** Moves the older rows of accounts out of memory into the store. */
export type PastRows = EngineJournal & {
  /** Appends a row to an account's latest rows, and moves the oldest rows out of memory. Returns the row. */
  readonly keep: <Row, Facet>(kind: RowKind<Row, Facet>, to: AccountRows<Row>, row: Row) => Row
  /** How many rows of a history have left memory, including rows that were deleted later. */
  readonly moved: (list: string) => number
  /** Passes each chunk to a function when it leaves memory. */
  readonly onMoved: (take: (chunk: Chunk) => void) => void
}

/** The latest rows of an account's history, oldest first. */
export type AccountRows<Row> = {
  readonly account: { readonly number: number }
  readonly rows: Row[]
}

/** The name under which an account's history is stored. */
export function listName(kind: { readonly name: string }, account: { readonly number: number }) {
  return `${account.number} ${kind.name}`
}

/** How many of the rows that left memory have been deleted. */
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

/** The changes that store a chunk and delete the chunk that exceeds the maximum. */
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
 * An index as text. Its columns hold differences between numbers, which keeps the text short without compression; the
 * first read of a history reads all its indexes.
 */
function indexText({ names, ...columns }: ChunkIndex): string {
  const differences = Object.entries(columns).map(([name, values]) => [
    name,
    values.map((value, at) => value - (values[at - 1] ?? 0)),
  ])
  return JSON.stringify({ names, ...Object.fromEntries(differences) })
}

/** The index in a text that `indexText` wrote. */
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

/** The entity of a chunk. Each chunk has a separate kind, so that a read can load one chunk. */
export function rowsEntity(list: string, number: number) {
  return { kind: `engine-rows ${list} ${number}`, key: 'rows' }
}

const KEY_DIGITS = 9

export function indexEntity(list: string, number: number) {
  return { kind: `engine-row-index ${list}`, key: String(number).padStart(KEY_DIGITS, '0') }
}
