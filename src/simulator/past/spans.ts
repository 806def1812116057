import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts'
export const WEEK_MS = 7 * DAY_MS
/** Stands for a calendar month in the table of candle lengths. Real months have no fixed length. */
export const MONTH_MS = 30 * DAY_MS

/** The lengths of candles by their names on the wire. */
export const CANDLE_SPANS: ReadonlyMap<unknown, number> = new Map([
  ['1m', MINUTE_MS],
  ['5m', 5 * MINUTE_MS],
  ['15m', 15 * MINUTE_MS],
  ['30m', 30 * MINUTE_MS],
  ['1h', HOUR_MS],
  ['4h', 4 * HOUR_MS],
  ['1d', DAY_MS],
  ['1w', WEEK_MS],
])

/** The lengths of `CANDLE_SPANS`, and half days and months, which only candles of trades have. */
export const ALL_SPANS: ReadonlyMap<unknown, number> = new Map([
  ...CANDLE_SPANS,
  ['12h', 12 * HOUR_MS],
  ['1mon', MONTH_MS],
])

// 1 January 1970 was a Thursday, and charts begin weeks on Mondays.
const FIRST_MONDAY_MS = 4 * DAY_MS

/** The start of the candle that contains a time: UTC boundaries, weeks from Monday, calendar months. */
export function spanStart(resolutionMs: number, atMs: number): number {
  if (resolutionMs === MONTH_MS) return monthStart(atMs, 0)
  const offset = resolutionMs === WEEK_MS ? FIRST_MONDAY_MS : 0
  return Math.floor((atMs - offset) / resolutionMs) * resolutionMs + offset
}

/** The end of the candle that begins at a time. */
export function spanEnd(resolutionMs: number, startMs: number): number {
  return resolutionMs === MONTH_MS ? monthStart(startMs, 1) : startMs + resolutionMs
}

/** The start of a candle, counted back by `count` candles from the candle that contains a time. */
export function spanBefore(resolutionMs: number, atMs: number, count: number): number {
  if (resolutionMs === MONTH_MS) return monthStart(atMs, -count)
  return spanStart(resolutionMs, atMs) - count * resolutionMs
}

function monthStart(atMs: number, offset: number): number {
  const date = new Date(atMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1)
}
