import { isObject } from '../../core/json.ts'
import type { Peek } from '../venue.ts'
import { type Row, rowsOf } from './rows.ts'
import { type LiveTopic, whole } from './topic.ts'

const BEAT_MS = 10

/** The best prices of one market, each time they have changed. */
export function bestPrices(symbol: string): LiveTopic {
  return {
    symbol,
    beatMs: BEAT_MS,
    isState: true,
    read: ({ peek }) => bestOf(peek, symbol),
    tell: whole,
  }
}

/** Those of all markets. */
export function bestPricesOfAll(): LiveTopic {
  return {
    symbol: null,
    beatMs: 1000,
    isState: true,
    read: ({ peek }) =>
      rowsOf(peek('/v1/public/futures')).map(({ symbol }) => bestOf(peek, String(symbol))),
    tell: whole,
  }
}

/** An empty side has neither price nor size. */
function bestOf(peek: Peek, symbol: string): Row {
  const body = JSON.stringify({ type: 'orderbook', symbol, max_level: 1 })
  const found = peek('/v1/public/query', { body })
  const [ask, bid] = isObject(found) ? [firstOf(found['asks']), firstOf(found['bids'])] : []
  return {
    symbol,
    ask: ask?.price ?? null,
    askSize: ask?.size ?? null,
    bid: bid?.price ?? null,
    bidSize: bid?.size ?? null,
  }
}

function firstOf(levels: unknown) {
  const [first] = Array.isArray(levels) ? levels : []
  return isObject(first)
    ? { price: Number(first['price']), size: Number(first['quantity']) }
    : undefined
}
