import { MINUTE_MS, SECOND_MS } from '../../contract/durations.ts'
import { isObject, type Row, rowsAt, toFloat } from '../../core/json.ts'
import type { ReadUnserialised } from '../messages/row.ts'
import { CANDLE_SPANS, MONTH_MS, spanEnd } from '../past/spans.ts'
import type { EventBuffers, Subscription } from './events.ts'
import { camelCased, comparableText, newRows } from './rows.ts'

/** The sources of topics: reads of the venue, and the events since the last read. */
export type Source = {
  readonly peek: ReadUnserialised
  readonly trades: EventBuffers['trades']
  /** The number of a market's trades in the last 24 hours. */
  readonly tradesOfDay: (symbol: string) => number
}

/** A public topic: how its state is read, and which messages lead from an earlier state to it. */
export type LiveTopic = {
  /** The topic's market; null if it is about all markets. */
  readonly symbol: string | null
  /** Minimum time between two reads. */
  readonly intervalMs: number
  /** Maximum time between two messages, even if nothing changes. */
  readonly forcedMs?: number
  /** Whether a new subscriber gets the current state at once. */
  readonly isState?: boolean
  readonly read: (source: Source) => unknown
  /** The `data` of each message. `before` is undefined at first. */
  readonly messages: (now: unknown, before: unknown) => readonly unknown[]
  /** Called after the last subscriber has left. */
  readonly end?: () => void
}

const SYMBOL = 'PERP_[A-Z0-9]+_USDC(?:_[\\w-]+)?'
const FUTURES = '/v1/public/futures'
const INFO = '/v1/public/market_info'
const BOOK_LEVELS = 100
const LIQUIDATIONS_READ = 100
const SHOWN_CHARS = 80

type MakeTopic = (name: string, interval: string) => LiveTopic

/** Every public topic of the live feed. A builder's own variant, such as `demo$tickers`, is the same topic. */
// biome-ignore format: one topic a row
const TOPICS: readonly (readonly [RegExp, MakeTopic])[] = [
  [/^tickers$/, () => columnsAt(FUTURES, SECOND_MS, ticker)],
  [/^markprices$/, () => columnsAt(FUTURES, SECOND_MS, markPrice)],
  [/^indexprices$/, () => columnsAt(FUTURES, SECOND_MS, indexPrice)],
  [/^bbos$/, () => state(null, SECOND_MS, ({ peek }) => rowsAt(peek(FUTURES), 'rows').map(({ symbol }) => bestQuote(peek, String(symbol))))],
  [/^price_changes$/, () => columnsAt(`${INFO}/price_changes`, MINUTE_MS)],
  [/^traders_open_interests$/, () => columnsAt(`${INFO}/traders_open_interests`, MINUTE_MS)],
  [/^history_charts_(1m|5m|15m|30m|1h|4h|1d|1w)$/, (interval) => columnsAt(`${INFO}/history_charts?time_interval=${interval}`, MINUTE_MS)],
  [/^liquidation$/, liquidations],
  [/^announcement$/, () => changes(({ peek }) => rowsAt(peek('/v1/public/announcement'), 'rows'), (now, before) => newRows(now, before, comparableText))],
  [/^maintenance_status$/, () => changes(({ peek }) => peek('/v1/public/system_info'), (now, before) => before === undefined || comparableText(now) === comparableText(before) ? [] : [[now]])],
  [/^SPOT_([A-Z0-9]+)_USDC@indexprice$/, (base) => ofMarket(`PERP_${base}_USDC`, indexPrice)],
  [onMarket('ticker'), (symbol) => ofMarket(symbol, ticker)],
  [onMarket('markprice'), (symbol) => ofMarket(symbol, markPrice)],
  [onMarket('openinterest'), (symbol) => ({ ...ofMarket(symbol, openInterest), forcedMs: 10 * SECOND_MS })],
  [onMarket('estfundingrate'), (symbol) => ({ ...ofMarket(symbol, funding), intervalMs: 15 * SECOND_MS })],
  [onMarket('bbo'), (symbol) => state(symbol, 10, ({ peek }) => bestQuote(peek, symbol))],
  [onMarket('orderbook'), (symbol) => state(symbol, SECOND_MS, (source) => bookNow(source, symbol))],
  [onMarket('orderbookupdate'), bookChanges],
  [onMarket('trade'), trades],
  [onMarket('kline_(1m|5m|15m|30m|1h|1d|1w|1M)'), candles],
]

/** The topic with a name; undefined for an unknown name. The market in the name need not exist. */
export function topicNamed(name: string): LiveTopic | undefined {
  const own = name.replace(/^[\w-]{1,64}\$/, '')
  for (const [pattern, make] of TOPICS) {
    const match = pattern.exec(own)
    if (match) return make(match[1] ?? '', match[2] ?? '')
  }
  return undefined
}

/** Why a topic cannot be subscribed to, in the venue's words; null if it can. */
export function topicFault(name: string, hasMarket: (symbol: string) => boolean): string | null {
  const topic = topicNamed(name)
  if (!topic) return `invalid topic ${name.slice(0, SHOWN_CHARS)}`
  if (topic.symbol === null || hasMarket(topic.symbol)) return null
  return `invalid symbol ${topic.symbol.slice(0, SHOWN_CHARS)}`
}

function onMarket(kind: string): RegExp {
  return new RegExp(`^(${SYMBOL})@${kind}$`)
}

/** A topic that sends its whole state whenever the state has changed. */
function state(symbol: string | null, intervalMs: number, read: LiveTopic['read']): LiveTopic {
  const messages: LiveTopic['messages'] = (now, before) =>
    now === undefined || comparableText(now) === comparableText(before) ? [] : [now]
  return { symbol, intervalMs, isState: true, read, messages }
}

/** A topic about all markets that sends only changes, and nothing when a client subscribes. */
function changes(read: LiveTopic['read'], messages: LiveTopic['messages']): LiveTopic {
  return { symbol: null, intervalMs: SECOND_MS, read, messages }
}

/** Chooses the members of a market's row that a topic sends. */
type Columns = (row: Row, source: Source) => Row

function columnsAt(path: string, intervalMs: number, columns: Columns = (row) => row): LiveTopic {
  return state(null, intervalMs, (source) =>
    rowsAt(source.peek(path), 'rows').map((row) => columns(row, source)),
  )
}

function ofMarket(symbol: string, columns: Columns): LiveTopic {
  return state(symbol, SECOND_MS, (source) => {
    const row = source.peek(`${FUTURES}/${symbol}`)
    return isObject(row) ? columns(row, source) : undefined
  })
}

function ticker(row: Row, { tradesOfDay }: Source): Row {
  return {
    symbol: row['symbol'],
    open: row['24h_open'],
    close: row['24h_close'],
    high: row['24h_high'],
    low: row['24h_low'],
    volume: row['24h_volume'],
    amount: row['24h_amount'],
    count: tradesOfDay(String(row['symbol'])),
  }
}

function markPrice({ symbol, mark_price }: Row): Row {
  return { symbol, price: mark_price }
}

/** The index price, under the symbol of the spot market. */
function indexPrice({ symbol, index_price }: Row): Row {
  return { symbol: String(symbol).replace(/^PERP_/, 'SPOT_'), price: index_price }
}

function openInterest({ symbol, open_interest }: Row): Row {
  return { symbol, openInterest: open_interest }
}

function funding({ symbol, est_funding_rate, next_funding_time }: Row): Row {
  return { symbol, fundingRate: est_funding_rate, fundingTs: next_funding_time }
}

/** The best bid and ask. An empty side has neither price nor size. */
function bestQuote(peek: ReadUnserialised, symbol: string): Row {
  const book = queriedBook(peek, symbol, 1)
  const [[ask, askSize] = [null, null]] = book?.asks ?? []
  const [[bid, bidSize] = [null, null]] = book?.bids ?? []
  return { symbol, ask, askSize, bid, bidSize }
}

type Level = readonly [price: number, quantity: number]

function queriedBook(peek: ReadUnserialised, symbol: string, levels: number) {
  const body = JSON.stringify({ type: 'orderbook', symbol, max_level: levels })
  const found = peek('/v1/public/query', { body })
  if (!isObject(found)) return undefined
  const toLevels = (side: unknown): readonly Level[] =>
    (Array.isArray(side) ? side : [])
      .filter(isObject)
      .map(({ price, quantity }) => [Number(price), Number(quantity)])
  return { symbol, asks: toLevels(found['asks']), bids: toLevels(found['bids']) }
}

/** The order book with each level as a pair of numbers; undefined if there is no such market. */
export function bookNow({ peek }: Pick<Source, 'peek'>, symbol: string): Row | undefined {
  return queriedBook(peek, symbol, BOOK_LEVELS)
}

/** A topic with the changed levels of a book. Quantity 0 removes a level. */
function bookChanges(symbol: string): LiveTopic {
  return {
    symbol,
    intervalMs: 200,
    read: (source) => bookNow(source, symbol),
    messages: (now, before) => {
      if (!isObject(now) || !isObject(before)) return []
      const asks = levelsChanged(now['asks'], before['asks'])
      const bids = levelsChanged(now['bids'], before['bids'])
      return asks.length + bids.length === 0 ? [] : [{ symbol, asks, bids }]
    },
  }
}

function levelsChanged(now: unknown, before: unknown): readonly (readonly unknown[])[] {
  const [after, old] = [now, before].map(
    (levels) => new Map<unknown, unknown>(Array.isArray(levels) ? levels : []),
  )
  if (!after || !old) return []
  return [
    ...[...after].filter(([price, quantity]) => old.get(price) !== quantity),
    ...[...old.keys()].filter((price) => !after.has(price)).map((price) => [price, 0]),
  ]
}

/** A topic with one message per trade. */
function trades(symbol: string): LiveTopic {
  let subscription: Subscription<Row> | null = null
  return {
    symbol,
    intervalMs: 0,
    read: (source) => {
      subscription ??= source.trades(symbol)
      return subscription.take()
    },
    messages: (now) => (Array.isArray(now) ? now : []),
    end: () => subscription?.end(),
  }
}

/** A topic with the current candle. A candle that has ended is sent once more with its final values. */
function candles(symbol: string, interval: string): LiveTopic {
  const spanMs = CANDLE_SPANS.get(interval) ?? MONTH_MS
  const type = interval === '1M' ? '1mon' : interval
  const candle = ({ start_timestamp, end_timestamp, ...values }: Row): Row => ({
    ...values,
    symbol,
    type: interval,
    startTime: start_timestamp,
    endTime: end_timestamp ?? spanEnd(spanMs, toFloat(start_timestamp) ?? 0),
  })
  return {
    symbol,
    intervalMs: SECOND_MS,
    read: ({ peek }) => rowsAt(peek(`/v1/kline?symbol=${symbol}&type=${type}&limit=2`), 'rows'),
    messages: (now, before) => newRows(now, before, comparableText).toReversed().map(candle),
  }
}

function liquidations(): LiveTopic {
  return changes(
    ({ peek }) => rowsAt(peek(`/v1/public/liquidated_positions?size=${LIQUIDATIONS_READ}`), 'rows'),
    (now, before) => {
      const fresh = newRows(now, before, (row) => String(toFloat(row['liquidation_id'])))
      return fresh.length === 0 ? [] : [fresh.map(camelCased)]
    },
  )
}
