import { createBoundedMap } from '../../core/bounded-map.ts'
import type { EntityStore } from '../../core/ports.ts'
import { unpackJson } from './packed.ts'
import {
  CHUNK_ROWS,
  type Chunk,
  droppedCount,
  indexEntity,
  indexFrom,
  type PastRows,
  rowsEntity,
} from './past-rows.ts'
import { addIndex, type Columns, emptyColumns, NO_COLUMNS } from './row-columns.ts'

/** Reads rows of histories that have left memory. */
export type StoredRows = {
  /** The ids, times and other search values of a history's stored rows, as columns. */
  readonly columns: (list: string) => Columns
  /** The row at a position of the columns. */
  readonly rowAt: (list: string, position: number, columns: Columns) => unknown
}

/** Maximum number of cached indexes. */
const INDEXES_HELD_MAX = 16
/** Maximum number of cached chunks. */
const CHUNKS_HELD_MAX = 256

/**
 * Creates a reader of rows that have left memory. Each call throws the store's error, and RangeError for a deleted row.
 */
export function createStoredRows(past: PastRows, entities: Pick<EntityStore, 'load'>): StoredRows {
  const indexes = createBoundedMap<string, Columns>(INDEXES_HELD_MAX)
  const held = createBoundedMap<string, readonly unknown[]>(CHUNKS_HELD_MAX)
  // Chunks that the next commit will store, and chunks that were stored recently.
  const recent = createBoundedMap<string, Chunk>(CHUNKS_HELD_MAX)

  past.onMoved((chunk) => {
    const { kind } = rowsEntity(chunk.list, chunk.number)
    recent.put(kind, chunk)
    held.put(kind, chunk.rows)
    const known = indexes.get(chunk.list)
    if (known) addIndex(known, chunk.index, firstKept(chunk.list))
  })

  function firstKept(list: string): number {
    return droppedCount(past.moved(list)) / CHUNK_ROWS
  }

  function loadColumns(list: string): Columns {
    const known = indexes.get(list)
    if (known) return known
    const columns = emptyColumns()
    columns.first = firstKept(list)
    let next = columns.first
    for (const { number, index } of chunkIndexes(list)) {
      if (number !== next) continue
      addIndex(columns, index(), columns.first)
      next += 1
    }
    indexes.put(list, columns)
    return columns
  }

  function* chunkIndexes(list: string) {
    for (const { key, json } of entities.load(indexEntity(list, 0).kind))
      yield { number: Number(key), index: () => indexFrom(json) }
    for (const [, chunk] of recent.entries())
      if (chunk.list === list) yield { number: chunk.number, index: () => chunk.index }
  }

  function chunkRows(list: string, number: number): readonly unknown[] {
    const { kind } = rowsEntity(list, number)
    const known = held.get(kind) ?? recent.get(kind)?.rows
    if (known) return known
    const [row] = entities.load(kind)
    if (!row) throw new RangeError(`no rows of ${kind}`)
    const rows = unpackJson(row.json) as readonly unknown[]
    held.put(kind, rows)
    return rows
  }

  return {
    columns: (list) => (past.moved(list) === 0 ? NO_COLUMNS : loadColumns(list)),
    rowAt: (list, position, { first }) =>
      chunkRows(list, first + Math.floor(position / CHUNK_ROWS))[position % CHUNK_ROWS],
  }
}
