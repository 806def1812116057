import { isObject, type Row, rowsAt } from '../core/json.ts'

/** A number in a row; zero when it is missing. */
export function figure(row: Row | undefined, field: string): number {
  const value = row?.[field]
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** The total number of rows that a paged answer gives. */
export function totalOf(answer: unknown): number {
  const meta = isObject(answer) ? answer['meta'] : undefined
  const total = isObject(meta) ? meta['total'] : undefined
  return typeof total === 'number' ? total : rowsAt(answer, 'rows').length
}
