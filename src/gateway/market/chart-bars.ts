import { isObject, numberOf } from '../../core/json.ts'
import type { WireRow } from './rows.ts'

/** The columns of a chart, each with the candle's field that it fills. */
const COLUMNS = { o: 'open', h: 'high', l: 'low', c: 'close', v: 'volume' } as const

/** The bars of a chart, which has a column for each value: rows with `timestamp` in ms; none when it has no data. */
export function barsOf(chart: unknown): readonly WireRow[] {
  if (!isObject(chart)) return []
  const times: unknown = chart['t']
  if (!Array.isArray(times)) return []
  return times.map((time, at) => barAt(chart, time, at))
}

function barAt(chart: WireRow, time: unknown, at: number): WireRow {
  const startSeconds = numberOf(time)
  const values = Object.entries(COLUMNS).map(([column, field]) => [
    field,
    cellOf(chart[column], at),
  ])
  const timestamp = startSeconds === undefined ? null : 1000 * startSeconds
  return { ...Object.fromEntries(values), timestamp }
}

function cellOf(column: unknown, at: number): unknown {
  return Array.isArray(column) ? column[at] : undefined
}
