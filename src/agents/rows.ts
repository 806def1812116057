import { isObject, type Row, rowsAt } from '../core/json.ts'

/** A number in a row; zero when it is missing. */
export function figure(row: Row | undefined, field: string): number {
  const value = row?.[field]
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** The total number of rows that a paged answer gives. */
export function totalRows(answer: unknown): number {
  return countIn(answer, 'total') ?? rowsAt(answer, 'rows').length
}

/** The total of a paged answer, and the number of older rows that the venue no longer keeps, if it says so. */
export function rowCounts(answer: unknown): { readonly total: number; readonly dropped: number } {
  return { total: totalRows(answer), dropped: countIn(answer, 'dropped') ?? 0 }
}

function countIn(answer: unknown, name: 'total' | 'dropped'): number | undefined {
  const meta = isObject(answer) ? answer['meta'] : undefined
  const count = isObject(meta) ? meta[name] : undefined
  return typeof count === 'number' ? count : undefined
}
