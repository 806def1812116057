import { DAY_MS } from '../../../contract/durations.ts'
import { larger, smaller } from '../../../core/decimals.ts'
import type { MarketFeed } from '../../feed/live-feed.ts'
import { positive, requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { fixed, micro } from '../../messages/values.ts'
import type { Candle } from '../../past/candles.ts'
import { ALL_SPANS, spanBefore, spanEnd } from '../../past/spans.ts'

const ROWS_DEFAULT = 100
const ROWS_MAX = 1000
const YEAR = '1y'

/** The endpoint `GET /v1/kline`: the latest candles, newest first. */
export function klineRows({ feed }: { readonly feed: MarketFeed }): readonly VenueRow[] {
  return [publicRead('/v1/kline', (call) => klines(feed, call))]
}

function klines(feed: MarketFeed, { query, nowMs }: VenueCall) {
  const symbol = requiredQuery(query, 'symbol')
  const type = requiredQuery(query, 'type')
  const spanMs = type === YEAR ? DAY_MS : ALL_SPANS.get(type)
  if (spanMs === undefined) throw refusal('parameter', 'type is invalid')
  if (!feed.instruments.has(symbol)) throw refusal('parameter', 'symbol is invalid')
  const count = Math.min(positive(query, 'limit', ROWS_DEFAULT), ROWS_MAX)
  const fromMs = type === YEAR ? 0 : spanBefore(spanMs, nowMs, count)
  const found = feed.candles(symbol, spanMs, fromMs, nowMs + 1, nowMs)
  const candles = (type === YEAR ? yearCandles(found) : found).slice(-count)
  return {
    rows: candles.toReversed().map((candle) => ({
      open: fixed(candle.open),
      close: fixed(candle.close),
      low: fixed(candle.low),
      high: fixed(candle.high),
      volume: fixed(candle.volume),
      amount: micro(candle.amount),
      symbol,
      type,
      start_timestamp: candle.startMs,
      end_timestamp: type === YEAR ? yearStart(candle.startMs, 1) : spanEnd(spanMs, candle.startMs),
    })),
  }
}

/** Candles of a year each, summed from the history's daily candles. */
function yearCandles(days: readonly Candle[]): Candle[] {
  const years = Map.groupBy(days, ({ startMs }) => yearStart(startMs, 0))
  return Array.from(years, ([startMs, candles]) => ({ ...candles.reduce(joined), startMs }))
}

function joined(before: Candle, after: Candle): Candle {
  return {
    startMs: before.startMs,
    open: before.open,
    high: larger(before.high, after.high),
    low: smaller(before.low, after.low),
    close: after.close,
    volume: before.volume + after.volume,
    amount: before.amount + after.amount,
  }
}

function yearStart(atMs: number, offset: number): number {
  return Date.UTC(new Date(atMs).getUTCFullYear() + offset, 0, 1)
}
