import { DAY_MS } from '../../contract/durations.ts'
import { isAddress } from '../../core/hex.ts'
import { EXCHANGE_LIMITS } from './limits.ts'
import { refusal } from './refusals.ts'

export type RowPage<T> = {
  readonly meta: {
    readonly total: number
    readonly records_per_page: number
    readonly current_page: number
    /** The number of older rows of this history that have been deleted; absent for zero. */
    readonly dropped?: number
  }
  readonly rows: readonly T[]
}

/** Rows that are created as they are read. */
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

/** A page of a history, each row shaped for the wire. Throws -1005 unless `page` and `size` are positive integers. */
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

/** A page of rows, each shaped for the wire. */
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
 * Whether a time lies within `start_t` and `end_t`, both inclusive and optional. Throws -1005 for other values than
 * numbers.
 */
export function periodFilter(query: URLSearchParams): (atMs: number) => boolean {
  const from = milliseconds(query, 'start_t', 0)
  const to = milliseconds(query, 'end_t', Number.MAX_SAFE_INTEGER)
  return (atMs) => atMs >= from && atMs <= to
}

/** The rows within a query's period, the latest first. Throws -1005 for times other than numbers. */
export function latestIn<Row extends { readonly atMs: number }>(
  rows: readonly Row[],
  query: URLSearchParams,
): Row[] {
  const isWithin = periodFilter(query)
  return rows.filter(({ atMs }) => isWithin(atMs)).reverse()
}

/** Whether a row has the values that a query names; `values` are the row's values by parameter name. */
export function isAsked(
  query: URLSearchParams,
  values: Readonly<Record<string, string | null>>,
): boolean {
  return Object.entries(values).every(
    ([name, value]) => (queryText(query, name) ?? value) === value,
  )
}

/** A query parameter, or null when it is absent or empty. */
export function queryText(query: URLSearchParams, name: string): string | null {
  return query.get(name) || null
}

/** A query parameter that must be there. Throws -1005. */
export function requiredQuery(query: URLSearchParams, name: string): string {
  const value = queryText(query, name)
  if (value === null) throw refusal('parameter', `${name} is required`)
  return value
}

/** A positive integer of the query, or the fallback. Throws -1005. */
export function positive(query: URLSearchParams, name: string, fallback: number): number {
  const value = milliseconds(query, name, fallback)
  if (value < 1) throw refusal('parameter', `${name} must be a positive integer`)
  return value
}

/** A wallet's address of the query, in lower case. Throws -1005 without one. */
export function addressIn(query: URLSearchParams, name: string): string {
  const address = requiredQuery(query, name).toLowerCase()
  if (!isAddress(address)) throw refusal('parameter', `${name} is invalid`)
  return address
}

/** One of a closed list of values; the fallback when the query leaves it out. Throws -1005. */
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

/** The UTC date of a day's number, as YYYY-MM-DD. */
export function utcDateText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/**
 * The days from `start_date` to `end_date`, both inclusive, by their numbers. Throws -1005 for an invalid date, or
 * for a missing required one.
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
