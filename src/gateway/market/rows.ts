import { isObject, numberOf } from '../../core/json.ts'
import { VENUE_SYMBOLS } from '../../spec/market/symbols.ts'

/** A row as the venue sent it: numbers may carry their own spelling, see `parseExact`. */
export type WireRow = Record<string, unknown>

/** The object rows of a payload `{rows: [...]}`; none when it has none. */
export function rowsOf(payload: unknown): readonly WireRow[] {
  const rows = isObject(payload) ? payload['rows'] : undefined
  return Array.isArray(rows) ? rows.filter(isObject) : []
}

/** Whether a row is of a shared market, not one that carries a builder's suffix. */
export function isShared(row: WireRow): boolean {
  return typeof row['symbol'] === 'string' && VENUE_SYMBOLS.shared.test(row['symbol'])
}

/** Whether a market can be traded; a venue that says nothing of status lists active markets only. */
export function isActive(row: WireRow): boolean {
  return row['status'] === undefined || row['status'] === 'ACTIVE'
}

/** The change over a day in percent, four decimals; zero when the open was zero. */
export function changePercent(open: unknown, close: unknown): number {
  const from = numberOf(open) ?? 0
  const to = numberOf(close) ?? 0
  return from === 0 ? 0 : Number((((to - from) / from) * 100).toFixed(4))
}

/** The highest leverage a market's initial margin rate allows: its reciprocal, rounded. */
export function maxLeverage(baseImr: unknown): number {
  const rate = numberOf(baseImr) ?? 0
  return rate > 0 ? Math.round(1 / rate) : 0
}

/** The steps of `"1,2,3,5"` as numbers. */
export function leverageSteps(list: unknown): readonly number[] {
  const text = typeof list === 'string' ? list : ''
  return text
    .split(',')
    .map((step) => Number(step.trim()))
    .filter((step) => Number.isFinite(step) && step > 0)
}
