import { isObject, type Row, rowsAt } from '../core/json.ts'
import { suggest } from '../core/settings/suggest.ts'
import { invalidArgument } from './refusal.ts'

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

/**
 * The fields in a comma-separated list: `all` means every known field, and an absent list means the usual fields.
 * Throws invalid_request for an unknown field.
 */
export function chosenFields(
  list: string | undefined,
  known: readonly string[],
  usual: readonly string[],
): readonly string[] {
  if (list === undefined) return usual
  const names = list.split(',').map((name) => name.trim())
  if (names.includes(ALL)) return known
  const unknown = known.length === 0 ? undefined : names.find((name) => !known.includes(name))
  if (unknown === undefined) return names
  throw invalidArgument('fields', 'malformed', {
    allowed: [ALL, ...known],
    ...suggested(suggest(unknown, known)),
  })
}

const ALL = 'all'

function suggested(suggestion: string | undefined) {
  return suggestion === undefined ? {} : { suggestion }
}
