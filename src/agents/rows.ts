import { isObject, type Row, rowsAt } from '../core/json.ts'

/** A numeric field of a row; zero if missing. */
export function figure(row: Row | undefined, field: string): number {
  const value = row?.[field]
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** The total number of rows of a paginated answer. */
export function totalRows(answer: unknown): number {
  return countIn(answer, 'total') ?? rowsAt(answer, 'rows').length
}

/** The total number of rows of a paginated answer, and the number of older rows that the venue no longer stores. */
export function rowCounts(answer: unknown): { readonly total: number; readonly dropped: number } {
  return { total: totalRows(answer), dropped: countIn(answer, 'dropped') ?? 0 }
}

function countIn(answer: unknown, name: 'total' | 'dropped'): number | undefined {
  const meta = isObject(answer) ? answer['meta'] : undefined
  const count = isObject(meta) ? meta[name] : undefined
  return typeof count === 'number' ? count : undefined
}
