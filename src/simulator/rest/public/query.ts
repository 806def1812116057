import { MINUTE_MS } from '../../../contract/durations.ts'
import { isObject, parsedJson } from '../../../core/json.ts'
import type { Clamp } from '../../../core/query.ts'
import { paddedText, plainText, tickDecimals } from '../../base/decimals.ts'
import type { VenueState } from '../../exchange/state.ts'
import type { MarketFeed } from '../../feed/live-feed.ts'
import type { FeedLevel } from '../../listing/feed.ts'
import type { Market } from '../../listing/instruments.ts'
import { type VenueCall, VenueRefusal, type VenueRow } from '../../messages/row.ts'
import type { Candle } from '../../past/candles.ts'
import { CANDLE_SPANS, spanBefore } from '../../past/spans.ts'
import { type Figure, TRADER_WINDOWS, type TraderWindow, tradersBy } from './traders.ts'

const BOUNDS = {
  max_level: { min: 1, max: 500, fallback: 100 },
  candles: { min: 1, max: 1000, fallback: 100 },
  topAddresses: { min: 1, max: 200, fallback: 50 },
} as const

/** The data that the query API reads. */
export type QuerySources = {
  readonly feed: MarketFeed
  readonly exchange: VenueState
}

type Query = Readonly<Record<string, unknown>>
type Answer = (parts: QuerySources, query: Query, nowMs: number) => unknown

const ANSWERS: ReadonlyMap<unknown, Answer> = new Map<unknown, Answer>([
  ['orderbook', orderbook],
  ['candles', candles],
  ['topAddresses', topAddresses],
])

/** The endpoint `POST /v1/public/query`: one path for several queries, with error codes that are texts. */
export function queryRows(parts: QuerySources): readonly VenueRow[] {
  return [
    {
      method: 'POST',
      path: '/v1/public/query',
      scope: 'none',
      answer: ({ body, nowMs }: VenueCall) => {
        const query = parse(body)
        const answer = ANSWERS.get(query['type'])
        if (query['type'] === undefined) throw badQuery('type is required', 'MISSING_PARAM')
        if (!answer) throw badQuery('type is not supported', 'UNKNOWN_TYPE')
        return answer(parts, query, nowMs)
      },
    },
  ]
}

function orderbook({ feed }: QuerySources, query: Query, nowMs: number) {
  const market = queriedMarket(feed.instruments, query)
  const levels = queriedCount(query, 'max_level', BOUNDS.max_level)
  const { asks, bids } = feed.book(market.symbol, levels)
  const ask = asks[0]?.price
  const bid = bids[0]?.price
  const isTwoSided = ask !== undefined && bid !== undefined
  return {
    symbol: market.symbol,
    mid_price: isTwoSided ? plainText((ask + bid) / 2n) : null,
    spread: isTwoSided ? paddedText(ask - bid, tickDecimals(market.quoteTick)) : null,
    asks: asks.map((level) => paddedLevel(market, level)),
    bids: bids.map((level) => paddedLevel(market, level)),
    ts: nowMs,
  }
}

function paddedLevel({ quoteTick, baseTick }: Market, { price, quantity }: FeedLevel) {
  return {
    price: paddedText(price, tickDecimals(quoteTick)),
    quantity: paddedText(quantity, tickDecimals(baseTick)),
  }
}

/** Candles, oldest first. The last candle may still change. */
function candles({ feed }: QuerySources, query: Query, nowMs: number) {
  const market = queriedMarket(feed.instruments, query)
  const intervalMs = CANDLE_SPANS.get(query['interval'])
  if (intervalMs === undefined) throw badQuery('interval is not supported')
  const count = queriedCount(query, 'limit', BOUNDS.candles)
  // Reads one candle more than requested, because a minute that has just begun may have no candle yet.
  const fromMs = spanBefore(intervalMs, nowMs, count)
  const found = feed.candles(market.symbol, intervalMs, fromMs, nowMs + 1, nowMs).slice(-count)
  return { rows: found.map((candle) => paddedCandle(market, candle)), next_cursor: null }
}

function paddedCandle({ quoteTick }: Market, candle: Candle) {
  const places = tickDecimals(quoteTick)
  return {
    open: paddedText(candle.open, places),
    high: paddedText(candle.high, places),
    low: paddedText(candle.low, places),
    close: paddedText(candle.close, places),
    volume: plainText(candle.volume),
    timestamp: candle.startMs,
  }
}

/** Traders by a figure, largest first. */
function topAddresses({ exchange }: QuerySources, query: Query, nowMs: number) {
  const by = figureNamed(query['sort_by'])
  const rows = tradersBy(by, queriedCount(query, 'limit', BOUNDS.topAddresses), exchange, nowMs)
  return { rows, next_cursor: null, last_updated_time: nowMs - (nowMs % MINUTE_MS) }
}

/** The figure that a name stands for, such as `volume_24h`, `pnl_7d` or `notional`. */
function figureNamed(text: unknown): Figure {
  if (text === 'notional') return text
  const [, figure, window] = /^(volume|pnl)_(\w+)$/.exec(String(text)) ?? []
  if (!isWindow(window)) throw badQuery('sort_by is not supported')
  return { name: figure === 'pnl' ? 'pnl' : 'volume', window }
}

function isWindow(window: string | undefined): window is TraderWindow {
  return window !== undefined && Object.hasOwn(TRADER_WINDOWS, window)
}

function parse(body: string): Query {
  const query = parsedJson(body)
  if (isObject(query)) return query
  throw badQuery('the body must be a JSON object')
}

function queriedMarket(instruments: ReadonlyMap<string, Market>, { symbol }: Query): Market {
  if (typeof symbol !== 'string' || symbol === '')
    throw badQuery('symbol is required', 'MISSING_PARAM')
  const market = instruments.get(symbol)
  // The message repeats the text only if it has the form of a symbol.
  if (!market)
    throw badQuery(/^\w{1,40}$/.test(symbol) ? `symbol ${symbol} not found` : 'symbol not found')
  return market
}

function queriedCount(query: Query, name: string, { min, max, fallback }: Clamp): number {
  const value = query[name] ?? fallback
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max)
    return value
  throw badQuery(`${name} must be an integer from ${min} to ${max}`)
}

function badQuery(message: string, code = 'INVALID_PARAM'): VenueRefusal {
  return new VenueRefusal(400, code, message)
}
