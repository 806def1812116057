import { isObject, numberOf } from '../../core/json.ts'
import type { Peek } from '../venue.ts'

type Row = Readonly<Record<string, unknown>>

/** What one topic shows: the state as of now, and the messages that tell how it came to be from the one before. */
export type LiveTopic = {
  readonly beatMs: number
  readonly read: (peek: Peek) => unknown
  /** The `data` of each message; `before` is undefined at the first. */
  readonly tell: (now: unknown, before: unknown) => readonly unknown[]
}

const SYMBOL = 'PERP_[A-Z0-9]+_USDC'
const INTERVALS = ['1m', '5m', '15m', '30m', '1h', '1d', '1w'] as const

/** The topic of a name; undefined for one there is not. Whether its market exists is not asked. */
export function topicNamed(name: string): LiveTopic | undefined {
  for (const [pattern, make] of TOPICS) {
    const match = pattern.exec(name)
    if (match) return make(match[1] ?? '', match[2] ?? '')
  }
  return undefined
}

type Make = (symbol: string, interval: string) => LiveTopic

const TOPICS: readonly (readonly [RegExp, Make])[] = [
  [/^tickers$/, () => ofAll(tickerOf)],
  [/^markprices$/, () => ofAll(markOf)],
  [/^indexprices$/, () => ofAll(indexOf)],
  [new RegExp(`^(${SYMBOL})@ticker$`), (symbol) => ofOne(symbol, tickerOf)],
  [new RegExp(`^(${SYMBOL})@markprice$`), (symbol) => ofOne(symbol, markOf)],
  [/^SPOT_([A-Z0-9]+)_USDC@indexprice$/, (base) => ofOne(`PERP_${base}_USDC`, indexOf)],
  [new RegExp(`^(${SYMBOL})@openinterest$`), (symbol) => ofOne(symbol, openInterestOf)],
  [new RegExp(`^(${SYMBOL})@estfundingrate$`), (symbol) => ofOne(symbol, fundingOf)],
  [
    new RegExp(`^(${SYMBOL})@orderbook$`),
    (symbol) => ({ ...book(symbol), beatMs: 1000, tell: whole }),
  ],
  [new RegExp(`^(${SYMBOL})@orderbookupdate$`), book],
  [new RegExp(`^(${SYMBOL})@trade$`), trades],
  [new RegExp(`^(${SYMBOL})@kline_(${INTERVALS.join('|')})$`), candles],
  [/^liquidation$/, liquidations],
  [/^maintenance_status$/, () => ({ beatMs: 1000, read: () => null, tell: () => [] })],
]

/** The order book as the wire writes it: pairs of numbers. */
export function bookNow(peek: Peek, symbol: string): Row | undefined {
  const body = JSON.stringify({ type: 'orderbook', symbol, max_level: BOOK_LEVELS })
  const found = peek('/v1/public/query', { body })
  if (!isObject(found)) return undefined
  return { symbol, asks: pairsOf(found['asks']), bids: pairsOf(found['bids']) }
}

const BOOK_LEVELS = 100

function whole(now: unknown, before: unknown): readonly unknown[] {
  return textOf(now) === textOf(before) ? [] : [now]
}

function ofAll(show: (row: Row) => Row): LiveTopic {
  return {
    beatMs: 1000,
    read: (peek) => rowsOf(peek('/v1/public/futures')).map(show),
    tell: whole,
  }
}

function ofOne(symbol: string, show: (row: Row) => Row): LiveTopic {
  return {
    beatMs: 1000,
    read: (peek) => {
      const row = peek(`/v1/public/futures/${symbol}`)
      return isObject(row) ? show(row) : undefined
    },
    tell: whole,
  }
}

function tickerOf(row: Row): Row {
  return {
    symbol: row['symbol'],
    open: row['24h_open'],
    close: row['24h_close'],
    high: row['24h_high'],
    low: row['24h_low'],
    volume: row['24h_volume'],
    amount: row['24h_amount'],
  }
}

function markOf({ symbol, mark_price }: Row): Row {
  return { symbol, price: mark_price }
}

function indexOf({ symbol, index_price }: Row): Row {
  return { symbol: String(symbol).replace(/^PERP_/, 'SPOT_'), price: index_price }
}

function openInterestOf({ symbol, open_interest }: Row): Row {
  return { symbol, openInterest: open_interest }
}

function fundingOf({ symbol, est_funding_rate, next_funding_time }: Row): Row {
  return { symbol, fundingRate: est_funding_rate, fundingTs: next_funding_time }
}

function book(symbol: string): LiveTopic {
  return {
    beatMs: 200,
    read: (peek) => bookNow(peek, symbol),
    tell: (now, before) => {
      if (!isObject(now) || !isObject(before)) return []
      const asks = levelsChanged(now['asks'], before['asks'])
      const bids = levelsChanged(now['bids'], before['bids'])
      return asks.length + bids.length === 0 ? [] : [{ symbol, asks, bids }]
    },
  }
}

type Pair = readonly [price: unknown, quantity: unknown]

function pairsOf(levels: unknown): readonly Pair[] {
  return (Array.isArray(levels) ? levels : [])
    .filter(isObject)
    .map(({ price, quantity }) => [Number(price), Number(quantity)])
}

function levelsChanged(now: unknown, before: unknown): readonly Pair[] {
  const [after, old] = [quantities(now), quantities(before)]
  const changed = [...after].filter(([price, quantity]) => old.get(price) !== quantity)
  return [
    ...changed,
    ...[...old.keys()].filter((price) => !after.has(price)).map((price) => [price, 0] as const),
  ]
}

function quantities(levels: unknown): Map<unknown, unknown> {
  return new Map(Array.isArray(levels) ? levels : [])
}

const TRADES_LOOKED_AT = 50

function trades(symbol: string): LiveTopic {
  return {
    beatMs: 200,
    read: (peek) =>
      rowsOf(peek(`/v1/public/market_trades?symbol=${symbol}&limit=${TRADES_LOOKED_AT}`)),
    tell: (now, before) =>
      newRows(now, before, textOf)
        .toReversed()
        .map(({ side, executed_price, executed_quantity, executed_timestamp }) => ({
          symbol,
          price: executed_price,
          size: executed_quantity,
          side,
          ts: executed_timestamp,
        })),
  }
}

function candles(symbol: string, interval: string): LiveTopic {
  const body = JSON.stringify({ type: 'candles', symbol, interval, limit: 2 })
  return {
    beatMs: 1000,
    read: (peek) => rowsOf(peek('/v1/public/query', { body })),
    // The candle that has just ended is told once more, with what it ended as.
    tell: (now, before) =>
      newRows(now, before, textOf).map(({ timestamp, ...values }) => ({
        symbol,
        type: interval,
        ...Object.fromEntries(Object.entries(values).map(([key, text]) => [key, Number(text)])),
        startTime: timestamp,
      })),
  }
}

const LIQUIDATIONS_LOOKED_AT = 20

function liquidations(): LiveTopic {
  return {
    beatMs: 1000,
    read: (peek) => rowsOf(peek(`/v1/public/liquidated_positions?size=${LIQUIDATIONS_LOOKED_AT}`)),
    tell: (now, before) => {
      const fresh = newRows(now, before, (row) => String(numberOf(row['liquidation_id'])))
      return fresh.length === 0 ? [] : [fresh.map(camelCased)]
    },
  }
}

/** The rows that were not there before, as often as they are there more often. */
function newRows(now: unknown, before: unknown, keyOf: (row: Row) => string): readonly Row[] {
  if (!Array.isArray(now) || !Array.isArray(before)) return []
  const known = new Map<string, number>()
  for (const row of before) known.set(keyOf(row), (known.get(keyOf(row)) ?? 0) + 1)
  return now.filter((row) => {
    const left = known.get(keyOf(row)) ?? 0
    known.set(keyOf(row), left - 1)
    return left <= 0
  })
}

/** Rows under the wire's live names: `positions_by_perp` is `positionsByPerp`. */
export function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased)
  if (!isObject(value) || numberOf(value) !== undefined) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [camelCase(key), camelCased(member)]),
  )
}

function camelCase(key: string): string {
  return key.replace(/_([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

/** The object rows of a payload `{rows}`. */
export function rowsOf(payload: unknown): readonly Row[] {
  const rows = isObject(payload) ? payload['rows'] : undefined
  return Array.isArray(rows) ? rows.filter(isObject) : []
}
