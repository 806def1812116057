import { isObject, numberOf } from '../../core/json.ts'
import { decimalText } from './decimal-text.ts'
import type { WireRow } from './rows.ts'

/** The columns of a chart, each with the candle's field that it fills. */
const COLUMNS = { o: 'open', h: 'high', l: 'low', c: 'close', v: 'volume' } as const

/**
 * The bars of a chart, which has a column for each value: rows with values as decimal text and `timestamp` in ms.
 * A bar that lacks one of them is left out; none when the chart has no data.
 */
export function barsOf(chart: unknown): readonly WireRow[] {
  if (!isObject(chart)) return []
  const times: unknown = chart['t']
  if (!Array.isArray(times)) return []
  return times.flatMap((time, at) => barAt(chart, time, at))
}

function barAt(chart: WireRow, time: unknown, at: number): readonly WireRow[] {
  const startSeconds = numberOf(time)
  const values = Object.entries(COLUMNS).map(([column, field]) => [
    field,
    decimalText(cellOf(chart[column], at)),
  ])
  if (startSeconds === undefined || values.some(([, text]) => text === null)) return []
  return [{ ...Object.fromEntries(values), timestamp: 1000 * startSeconds }]
}

function cellOf(column: unknown, at: number): unknown {
  return Array.isArray(column) ? column[at] : undefined
}
