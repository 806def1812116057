import { isObject } from '../core/json.ts'

/** Any object of an answer. */
export type Row = Readonly<Record<string, unknown>>

/** The list of objects under a key of an answer; empty when the key has no list. */
export function rowsAt(answer: unknown, key: string): readonly Row[] {
  const rows = isObject(answer) ? answer[key] : undefined
  return Array.isArray(rows) ? rows.filter(isObject) : []
}

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
