import { type Answer, fresh } from '../../cache/answer.ts'
import { invalid } from '../../core/failure.ts'
import { isObject, pick } from '../../core/json.ts'
import { clamped, one, type Query } from '../../core/query.ts'
import { HOUR_MS } from '../../spec/durations.ts'
import { CLAMPS } from '../../spec/limits.ts'
import {
  CANDLE_FIELDS,
  INTERVALS,
  type Interval,
  ORDERBOOK_FIELDS,
  PUBLIC_TRADE_FIELDS,
} from '../../spec/market.ts'
import { ROUTES } from '../../spec/routes.ts'
import { symbolOf } from '../../wire/symbol.ts'
import { payloadOf, queryVenue } from '../venue-read.ts'
import { mergeCandles } from './candle-merge.ts'
import type { MarketDeps } from './deps.ts'
import { ofListed } from './listed.ts'
import { rowsOf, type WireRow } from './rows.ts'
import { keptBy, publicReply, readParsed, throughCache } from './shaped.ts'

const BOOK_LEVELS = 100

/** The order book of one market as it is now: never cached, never shared in flight. */
export async function orderbook(deps: MarketDeps, query: Query): Promise<Answer> {
  const symbol = symbolOf(query)
  const read = () => queryVenue(deps, { type: 'orderbook', symbol, max_level: BOOK_LEVELS })
  const payload = payloadOf(await ofListed(deps, symbol, read))
  return fresh(publicReply(deps, bookOf(symbol, isObject(payload) ? payload : {})))
}

// An empty side leaves the venue without a middle; the strings of the answer are then empty, never null.
function bookOf(symbol: string, payload: WireRow): WireRow {
  const empty = { symbol, mid_price: '', spread: '', asks: [], bids: [] }
  const book = pick({ ...empty, ...payload }, ORDERBOOK_FIELDS)
  return { ...book, mid_price: book['mid_price'] ?? '', spread: book['spread'] ?? '' }
}

/** `{rows}`: candles of one market, oldest first, values as strings, `timestamp` in ms. */
export function candles(deps: MarketDeps, query: Query): Promise<Answer> {
  const symbol = symbolOf(query)
  const interval = intervalOf(query)
  const limit = clamped(one(query, 'limit'), CLAMPS.candles)
  return throughCache(deps, keptBy(ROUTES.candles, { symbol, interval, limit }), async () => {
    const read = () => candleRows(deps, symbol, interval, limit)
    const rows = await ofListed(deps, symbol, read, (found) => found.length === 0)
    return publicReply(deps, { rows: rows.map((row) => pick(row, CANDLE_FIELDS)) })
  })
}

function intervalOf(query: Query): Interval {
  const text = one(query, 'interval') ?? '1h'
  const interval = INTERVALS.find((known) => known === text)
  if (!interval) throw invalid('interval')
  return interval
}

const TWELVE_HOURS_MS = 12 * HOUR_MS
const FOUR_HOUR_CANDLES_IN_TWELVE = 3
/** What the venue gives at once, so that there are at most 333 candles of twelve hours. */
const VENUE_CANDLES_MAX = 1000

// The venue has no 12 hour candles: three of four hours make one, and the first may be partly outside what was asked.
async function candleRows(deps: MarketDeps, symbol: string, interval: Interval, limit: number) {
  if (interval !== '12h') return readCandles(deps, symbol, interval, limit)
  const needed = limit * FOUR_HOUR_CANDLES_IN_TWELVE + FOUR_HOUR_CANDLES_IN_TWELVE - 1
  const wanted = Math.min(needed, VENUE_CANDLES_MAX)
  const rows = await readCandles(deps, symbol, '4h', wanted)
  return mergeCandles(rows, TWELVE_HOURS_MS).slice(-limit)
}

async function readCandles(deps: MarketDeps, symbol: string, interval: Interval, limit: number) {
  const text = await queryVenue(deps, { type: 'candles', symbol, interval, limit })
  return rowsOf(payloadOf(text)).toSorted((a, b) => Number(a['timestamp']) - Number(b['timestamp']))
}

/** `{trades}`: the public tape of one market, newest first as the venue sends it. Carries no identity. */
export async function trades(deps: MarketDeps, query: Query): Promise<Answer> {
  const symbol = symbolOf(query)
  const limit = clamped(one(query, 'limit'), CLAMPS.trades)
  const path = `/v1/public/market_trades?symbol=${symbol}&limit=${limit}`
  const read = async () => rowsOf(await readParsed(deps, path))
  const rows = await ofListed(deps, symbol, read, (found) => found.length === 0)
  return fresh(publicReply(deps, { trades: rows.map((row) => pick(row, PUBLIC_TRADE_FIELDS)) }))
}

/** `{rows}`: recent liquidations on the whole exchange, as the venue sends them. */
export function liquidations(deps: MarketDeps, query: Query): Promise<Answer> {
  const size = clamped(one(query, 'size'), CLAMPS.liquidations)
  return throughCache(deps, keptBy(ROUTES.liquidations, { size }), async () => {
    const payload = await readParsed(deps, `/v1/public/liquidated_positions?size=${size}`)
    return publicReply(deps, { rows: rowsOf(payload) })
  })
}
