import { DAY_MS } from '../../contract/durations.ts'

/** Default maximum number of rows in a list. */
const ROWS_MAX = 500
const DAYS_MAX = 400

/** Appends a row and drops the oldest rows beyond a bound. Returns the row. */
export function append<Row>(rows: Row[], row: Row, rowsMax: number = ROWS_MAX): Row {
  rows.push(row)
  if (rows.length > rowsMax) rows.splice(0, rows.length - rowsMax)
  return row
}

/** The rows of the latest UTC days, including today. */
export function lastDays<Row extends { readonly day: number }>(
  rows: readonly Row[],
  nowMs: number,
  days: number,
): Row[] {
  const first = Math.floor(nowMs / DAY_MS) - days
  return rows.filter(({ day }) => day > first)
}

/**
 * The current day's row of a list with one row per day. A new day appends a row and drops the oldest days beyond the
 * bound.
 */
export function openDayRow<Day extends { readonly day: number }>(
  days: Day[],
  day: number,
  create: (day: number) => Day,
  daysMax: number = DAYS_MAX,
): Day {
  const newest = days.at(-1)
  return newest?.day === day ? newest : append(days, create(day), daysMax)
}
