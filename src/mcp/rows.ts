import { isObject } from '../core/json.ts'

/** Any object of an answer. */
export type Row = Readonly<Record<string, unknown>>

/** The object rows of an answer under a key; none when there are none. */
export function rowsAt(answer: unknown, key: string): readonly Row[] {
  const rows = isObject(answer) ? answer[key] : undefined
  return Array.isArray(rows) ? rows.filter(isObject) : []
}

/** A figure of a row; zero when there is none. */
export function figure(row: Row | undefined, field: string): number {
  const value = row?.[field]
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** How many rows a paged answer says there are. */
export function totalOf(answer: unknown): number {
  const meta = isObject(answer) ? answer['meta'] : undefined
  const total = isObject(meta) ? meta['total'] : undefined
  return typeof total === 'number' ? total : rowsAt(answer, 'rows').length
}
