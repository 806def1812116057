import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../spec/durations.ts'
import type { MarketFeed } from '../../market/live-feed.ts'
import type { Candle } from '../../market/price/candles.ts'
import { MONTH_MS, spanBefore, WEEK_MS } from '../../market/price/spans.ts'
import { fixed, micro } from '../../wire/number.ts'
import { positive, queryText, requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { CHART_CONFIG, symbolInfo } from './chart-columns.ts'

const BARS_MAX = 1000

/** The resolutions of the charting library. */
const UDF_RESOLUTIONS: ReadonlyMap<string, number> = new Map([
  ['1', MINUTE_MS],
  ['3', 3 * MINUTE_MS],
  ['5', 5 * MINUTE_MS],
  ['15', 15 * MINUTE_MS],
  ['30', 30 * MINUTE_MS],
  ['60', HOUR_MS],
  ['240', 4 * HOUR_MS],
  ['720', 12 * HOUR_MS],
  ['D', DAY_MS],
  ['1D', DAY_MS],
  ['W', WEEK_MS],
  ['1W', WEEK_MS],
  ['M', MONTH_MS],
  ['1M', MONTH_MS],
])

const KLINE_RESOLUTIONS: ReadonlyMap<string, number> = new Map([
  ['1m', MINUTE_MS],
  ['5m', 5 * MINUTE_MS],
  ['15m', 15 * MINUTE_MS],
  ['30m', 30 * MINUTE_MS],
  ['1h', HOUR_MS],
  ['4h', 4 * HOUR_MS],
  ['12h', 12 * HOUR_MS],
  ['1d', DAY_MS],
  ['1w', WEEK_MS],
  ['1mon', MONTH_MS],
])

/** The rows for charts, in the charting library's own format: no envelope, and columns instead of rows. */
export function chartRows({ feed }: { readonly feed: MarketFeed }): readonly VenueRow[] {
  const rows = [
    publicRead('/v1/tv/config', ({ query }) => {
      requiredQuery(query, 'locale')
      return { s: 'ok', d: CHART_CONFIG }
    }),
    publicRead('/v1/tv/symbol_info', ({ query }) => {
      requiredQuery(query, 'group')
      return symbolInfo(feed.instruments.values())
    }),
    publicRead('/v1/tv/history', (call) => history(feed, call)),
    publicRead('/v1/tv/kline_history', (call) => klineHistory(feed, call)),
  ]
  return rows.map((row) => ({ ...row, envelope: 'bare' }))
}

/** `countback` bars up to `to` whatever `from` says, or those from `from`. */
function history(feed: MarketFeed, { query, nowMs }: VenueCall) {
  const resolutionMs = resolutionOf(UDF_RESOLUTIONS, query)
  const countback = queryText(query, 'countback')
  const count = countback === null ? BARS_MAX : positive(query, 'countback', 1)
  const fromMs = countback === null ? secondsOf(query, 'from') : 0
  const candles = candlesOf(feed, query, { resolutionMs, fromMs, count, nowMs })
  return candles.length === 0 ? NO_BARS : { s: 'ok', ...columnsOf(candles) }
}

/** At most `limit` bars, counted back from `to`. */
function klineHistory(feed: MarketFeed, { query, nowMs }: VenueCall) {
  const resolutionMs = resolutionOf(KLINE_RESOLUTIONS, query)
  const count = positive(query, 'limit', BARS_MAX)
  const fromMs = secondsOf(query, 'from')
  const candles = candlesOf(feed, query, { resolutionMs, fromMs, count, nowMs })
  if (candles.length === 0) return NO_BARS
  return { s: 'ok', ...columnsOf(candles), a: candles.map(({ amount }) => micro(amount)) }
}

const NO_BARS = { s: 'no_data' } as const

type Span = {
  readonly resolutionMs: number
  readonly fromMs: number
  readonly count: number
  readonly nowMs: number
}

function candlesOf(feed: MarketFeed, query: URLSearchParams, span: Span): readonly Candle[] {
  const symbol = requiredQuery(query, 'symbol')
  const { resolutionMs, nowMs } = span
  const toMs = Math.min(secondsOf(query, 'to', nowMs + 1), nowMs + 1)
  if (!feed.instruments.has(symbol) || toMs <= 0) return []
  const count = Math.min(span.count, BARS_MAX)
  const fromMs = Math.max(span.fromMs, spanBefore(resolutionMs, toMs - 1, count))
  return feed.candles(symbol, resolutionMs, fromMs, toMs, nowMs).slice(-count)
}

function columnsOf(candles: readonly Candle[]) {
  return {
    t: candles.map(({ startMs }) => startMs / 1000),
    o: candles.map(({ open }) => fixed(open)),
    h: candles.map(({ high }) => fixed(high)),
    l: candles.map(({ low }) => fixed(low)),
    c: candles.map(({ close }) => fixed(close)),
    v: candles.map(({ volume }) => fixed(volume)),
  }
}

function resolutionOf(resolutions: ReadonlyMap<string, number>, query: URLSearchParams): number {
  const resolutionMs = resolutions.get(requiredQuery(query, 'resolution'))
  if (resolutionMs === undefined) throw refusal('parameter', 'resolution is invalid')
  return resolutionMs
}

/** A time in Unix seconds as milliseconds. Throws -1005 when it is no number. */
function secondsOf(query: URLSearchParams, name: string, fallbackMs = 0): number {
  const text = queryText(query, name)
  if (text === null) return fallbackMs
  if (!/^\d{1,12}$/.test(text)) throw refusal('parameter', `${name} must be in seconds`)
  return Number(text) * 1000
}
