import { DAY_MS } from '../../contract/durations.ts'
import { isAddress } from '../../core/hex.ts'
import { EXCHANGE_LIMITS } from './limits.ts'
import { refusal } from './refusals.ts'

export type RowPage<T> = {
  readonly meta: {
    readonly total: number
    readonly records_per_page: number
    readonly current_page: number
    /** How many older rows of this history have been deleted; absent for 0. */
    readonly dropped?: number
  }
  readonly rows: readonly T[]
}

/** Rows that are created only when they are read. */
type Selection<T> = {
  readonly total: number
  readonly dropped: number
  readonly rows: (start: number, count: number) => readonly T[]
}

/**
 * The page of rows that `page` (from 1) and `size` (at most 500) select. Throws -1005 unless both are positive
 * integers.
 */
export function queriedPage<T>(
  rows: readonly T[],
  query: URLSearchParams,
  defaultRows?: number,
): RowPage<T> {
  const whole = { total: rows.length, dropped: 0 }
  const sliced = (start: number, count: number) => rows.slice(start, start + count)
  return selectedPage({ ...whole, rows: sliced }, query, (row) => row, defaultRows)
}

/** A page of a history, with each row in its wire shape. Throws -1005 if `page` or `size` is not a positive integer. */
export function selectedPage<T, Shape>(
  { total, dropped, rows }: Selection<T>,
  query: URLSearchParams,
  shape: (row: T) => Shape,
  defaultRows: number = EXCHANGE_LIMITS.pageDefaultRows,
): RowPage<Shape> {
  const size = Math.min(positive(query, 'size', defaultRows), EXCHANGE_LIMITS.pageMaxRows)
  const page = positive(query, 'page', 1)
  const place = { records_per_page: size, current_page: page }
  return {
    meta: { total, ...place, ...(dropped > 0 && { dropped }) },
    rows: rows((page - 1) * size, size).map(shape),
  }
}

/** A page of rows, with each row in its wire shape. */
export function shapedPage<T, Shape>(
  rows: readonly T[],
  query: URLSearchParams,
  shape: (row: T) => Shape,
  defaultRows?: number,
): RowPage<Shape> {
  const page = queriedPage(rows, query, defaultRows)
  return { meta: page.meta, rows: page.rows.map(shape) }
}

/**
 * Tests whether a time is between `start_t` and `end_t`. Both bounds are inclusive and optional. Throws -1005 if a
 * bound is not a number.
 */
export function periodFilter(query: URLSearchParams): (atMs: number) => boolean {
  const from = milliseconds(query, 'start_t', 0)
  const to = milliseconds(query, 'end_t', Number.MAX_SAFE_INTEGER)
  return (atMs) => atMs >= from && atMs <= to
}

/** The rows within a query's period, latest first. Throws -1005 for a time that is not a number. */
export function latestIn<Row extends { readonly atMs: number }>(
  rows: readonly Row[],
  query: URLSearchParams,
): Row[] {
  const isWithin = periodFilter(query)
  return rows.filter(({ atMs }) => isWithin(atMs)).reverse()
}

/** Whether a row has each value that the query names. `values` are the row's values by parameter name. */
export function matchesQuery(
  query: URLSearchParams,
  values: Readonly<Record<string, string | null>>,
): boolean {
  return Object.entries(values).every(
    ([name, value]) => (queryText(query, name) ?? value) === value,
  )
}

/** A query parameter; null if absent or empty. */
export function queryText(query: URLSearchParams, name: string): string | null {
  return query.get(name) || null
}

/** A required query parameter. Throws -1005 if it is missing or empty. */
export function requiredQuery(query: URLSearchParams, name: string): string {
  const value = queryText(query, name)
  if (value === null) throw refusal('parameter', `${name} is required`)
  return value
}

/** A positive integer from the query; the fallback if absent. Throws -1005 for any other value. */
export function positive(query: URLSearchParams, name: string, fallback: number): number {
  const value = milliseconds(query, name, fallback)
  if (value < 1) throw refusal('parameter', `${name} must be a positive integer`)
  return value
}

/** A wallet address from the query, in lower case. Throws -1005 if it is missing or malformed. */
export function addressIn(query: URLSearchParams, name: string): string {
  const address = requiredQuery(query, name).toLowerCase()
  if (!isAddress(address)) throw refusal('parameter', `${name} is invalid`)
  return address
}

/** A query parameter with one of the listed values; the fallback if absent. Throws -1005 for any other value. */
export function queryChoice<T extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly T[],
  fallback?: T,
): T {
  const text = fallback ? (queryText(query, name) ?? fallback) : requiredQuery(query, name)
  const choice = choices.find((each) => each === text)
  if (choice === undefined)
    throw refusal('parameter', `${name} must be one of ${choices.join(', ')}`)
  return choice
}

/** The UTC date of a day number, as YYYY-MM-DD. */
export function utcDateText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/**
 * The numbers of the days from `start_date` to `end_date`, both inclusive. Throws -1005 for an invalid date, or if a
 * required date is missing.
 */
export function daysIn(query: URLSearchParams, isRequired = false) {
  const dayIn = (name: string, fallback: number) => {
    const date = isRequired ? requiredQuery(query, name) : queryText(query, name)
    if (date === null) return fallback
    const atMs = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(date) : Number.NaN
    if (Number.isNaN(atMs)) throw refusal('parameter', `${name} must be YYYY-MM-DD`)
    return atMs / DAY_MS
  }
  const [first, last] = [dayIn('start_date', 0), dayIn('end_date', Number.POSITIVE_INFINITY)]
  return { first, last, has: ({ day }: { day: number }) => day >= first && day <= last }
}

function milliseconds(query: URLSearchParams, name: string, fallback: number): number {
  const text = queryText(query, name)
  if (text === null) return fallback
  if (!/^\d{1,15}$/.test(text)) throw refusal('parameter', `${name} must be a positive integer`)
  return Number(text)
}
