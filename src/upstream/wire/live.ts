import type { Static, TSchema } from '@sinclair/typebox'
import { isObject, type Row, SpelledNumber, toFloat } from '../../core/json.ts'
import { matchesSchema } from '../../core/parse-body.ts'
import { checkedValue, LIVE_SHAPES, MalformedMessage, type VenueNumber } from './live-messages.ts'
import { baseAsset } from './symbol.ts'

/**
 * The venue's live feed in the venue's terms: topics, socket paths, and the names of its fields in the REST reads.
 * Source: the venue's WebSocket API.
 */

/** Receives how many rows of a message were dropped as malformed. */
export type OnDropped = (rows: number) => void

/** The last segment of the public socket's path. The venue closes a socket with any other segment. */
const PUBLIC_ID = 'OqdphuyCtYWxwzhxyLLjOWNdFP7sQt8RPWzmb5xY'

export const LIVE_PATHS = {
  open: `/ws/stream/${PUBLIC_ID}`,
  account: (accountId: string) => `/v2/ws/private/stream/${accountId}`,
} as const

/** Topics by subject. */
export const LIVE_TOPICS = {
  tickers: 'tickers',
  marks: 'markprices',
  indexes: 'indexprices',
  liquidations: 'liquidation',
  status: 'maintenance_status',
  ticker: (symbol: string) => `${symbol}@ticker`,
  mark: (symbol: string) => `${symbol}@markprice`,
  index: (symbol: string) => `SPOT_${baseAsset(symbol)}_USDC@indexprice`,
  openInterest: (symbol: string) => `${symbol}@openinterest`,
  funding: (symbol: string) => `${symbol}@estfundingrate`,
  book: (symbol: string) => `${symbol}@orderbookupdate`,
  trade: (symbol: string) => `${symbol}@trade`,
  candle: (symbol: string, interval: string) => `${symbol}@kline_${interval}`,
} as const

/** The private topics that every authenticated socket is subscribed to. */
// biome-ignore format: read as a list
export const ACCOUNT_TOPICS = [
  'executionreport', 'position', 'balance', 'liquidationsaccount',
] as const

/** For each kind of message, its fields and their names in a market's row. */
const MARKET_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ticker: {
    open: '24h_open',
    close: '24h_close',
    high: '24h_high',
    low: '24h_low',
    volume: '24h_volume',
    amount: '24h_amount',
  },
  markprice: { price: 'mark_price' },
  indexprice: { price: 'index_price' },
  openinterest: { openInterest: 'open_interest' },
  estfundingrate: { fundingRate: 'est_funding_rate', fundingTs: 'next_funding_time' },
}

/**
 * The changed fields of each market, from a message about one market or all markets. Malformed rows of a list are
 * dropped. Throws MalformedMessage if a message's only row is malformed.
 */
export function marketPatches(topic: string, data: unknown, onDropped: OnDropped): readonly Row[] {
  const kind = (topic.split('@')[1] ?? topic).replace(/s$/, '')
  const fields = MARKET_FIELDS[kind] ?? {}
  return rowsIn(LIVE_SHAPES.market, data, onDropped).map((row) => ({
    symbol: row.symbol.replace(/^SPOT_/, 'PERP_'),
    ...renamed(row, fields),
  }))
}

function renamed(row: Row, fields: Readonly<Record<string, string>>): Row {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([from, to]) => {
      const value = row[from]
      if (value === undefined || value === null) return []
      return [[to, typeof value === 'string' ? new SpelledNumber(value) : value]]
    }),
  )
}

/** A trade message as a row of public trades. Throws MalformedMessage. */
export function tradeRow(data: unknown, atMs: number): Row {
  const { symbol, side, price, size } = checkedValue(LIVE_SHAPES.trade, data)
  return {
    symbol,
    side,
    executed_price: price,
    executed_quantity: size,
    executed_timestamp: atMs,
  }
}

/** The current candle, with its prices and volume as text. Throws MalformedMessage. */
export function candleRow(data: unknown): Row {
  const { open, high, low, close, volume, startTime } = checkedValue(LIVE_SHAPES.candle, data)
  const [o, h, l, c, v] = [open, high, low, close, volume].map(String)
  return { open: o, high: h, low: l, close: c, volume: v, timestamp: Number(startTime) }
}

/** Each changed level: price, quantity, and any further values of the message. */
export type LevelChanges = readonly (readonly VenueNumber[])[]

/** The changed levels of a book, and the time of the book's previous message. Throws MalformedMessage. */
export function bookChanges(data: unknown) {
  const { prevTs, asks, bids } = checkedValue(LIVE_SHAPES.book, data)
  const previousMs = prevTs === undefined || prevTs === null ? undefined : Number(prevTs)
  const levels: { readonly asks: LevelChanges; readonly bids: LevelChanges } = {
    asks: asks ?? [],
    bids: bids ?? [],
  }
  return { previousMs, ...levels }
}

export type BookChanges = ReturnType<typeof bookChanges>

/** Whether a message directly follows the last message that was read or applied, at `lastMs`. */
export function isNextMessage(
  { lastMs, isFresh }: { readonly lastMs: number; readonly isFresh: boolean },
  { previousMs }: Pick<BookChanges, 'previousMs'>,
): boolean {
  if (previousMs === undefined || previousMs === lastMs) return true
  // The time of a requested book lies between two messages. The next message may therefore follow a message that is
  // older than the book.
  return isFresh && previousMs < lastMs
}

/** The venue's state from a message. Throws MalformedMessage. */
export function statusFields(data: unknown): Row {
  return checkedValue(LIVE_SHAPES.status, Array.isArray(data) ? data[0] : data)
}

/** Liquidations with the REST reads' field names: `positionsByPerp` becomes `positions_by_perp`. */
export function liquidationRows(data: unknown, onDropped: OnDropped): readonly Row[] {
  return rowsIn(LIVE_SHAPES.liquidation, data, onDropped).map(requestRow)
}

/** Execution reports with the REST reads' field names. */
export function reportRows(data: unknown, onDropped: OnDropped): readonly Row[] {
  return rowsIn(LIVE_SHAPES.report, data, onDropped).map(requestRow)
}

const ORDER_NAMES: Readonly<Record<string, string>> = {
  executed_quantity: 'last_executed_quantity',
  executed_price: 'last_executed_price',
  total_executed_quantity: 'executed_quantity',
  avg_executed_price: 'average_executed_price',
  timestamp: 'updated_time',
}

/** An execution report as an order row, with the total executed quantity and its average price. */
export function orderRow(report: Row): Row {
  const { trade_id, match_id, maker, ...order } = report
  return namedAs(order, ORDER_NAMES)
}

const FILL_NAMES: Readonly<Record<string, string>> = {
  trade_id: 'id',
  timestamp: 'executed_timestamp',
}

// biome-ignore format: read as a list
const FILL_FIELDS = [
  'trade_id', 'symbol', 'side', 'order_id', 'client_order_id', 'executed_price', 'executed_quantity',
  'timestamp', 'fee', 'fee_asset', 'match_id', 'margin_mode',
] as const

/** An execution report as a trade row; undefined if it reports no execution. */
export function fillRow(report: Row): Row | undefined {
  if ((toFloat(report['trade_id']) ?? 0) <= 0) return undefined
  const fields = FILL_FIELDS.filter((field) => report[field] !== undefined)
  const fill = Object.fromEntries(fields.map((field) => [field, report[field]]))
  return { ...namedAs(fill, FILL_NAMES), is_maker: report['maker'] === true ? 1 : 0 }
}

const BALANCE_NAMES: Readonly<Record<string, string>> = {
  pending_short_qty: 'pending_short',
  pending_long_qty: 'pending_long',
}

/** A message with balances by token as rows of holdings. Throws MalformedMessage. */
export function balanceRows(data: unknown, onDropped: OnDropped): readonly Row[] {
  const balances = isObject(data) ? data['balances'] : undefined
  if (!isObject(balances)) throw new MalformedMessage('malformed live message')
  return Object.entries(balances).flatMap(([token, balance]) =>
    rowsIn(LIVE_SHAPES.balance, [balance], onDropped).map((row) => ({
      token,
      ...namedAs(requestRow(row), BALANCE_NAMES),
    })),
  )
}

/** The positions in a message, as position rows. Throws MalformedMessage. */
export function positionRows(data: unknown, onDropped: OnDropped): readonly Row[] {
  const listed = isObject(data) ? (data['positions'] ?? []) : data
  const rows = rowsIn(LIVE_SHAPES.position, listed, onDropped)
  return rows.map((row) => namedAs(requestRow(row), POSITION_NAMES))
}

const POSITION_NAMES: Readonly<Record<string, string>> = {
  imrwith_orders: 'IMR_withdraw_orders',
  mmrwith_orders: 'MMR_with_orders',
}

function namedAs(row: Row, names: Readonly<Record<string, string>>): Row {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [names[key] ?? key, value]))
}

/** The valid rows of a list, or the row that is the message. Throws MalformedMessage if that only row is malformed. */
function rowsIn<S extends TSchema>(shape: S, data: unknown, onDropped: OnDropped): Static<S>[] {
  if (!Array.isArray(data)) return [checkedValue(shape, data)]
  const rows = data.filter((row): row is Static<S> => matchesSchema(shape, row))
  if (rows.length < data.length) onDropped(data.length - rows.length)
  return rows
}

function requestRow(row: object): Row {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [snakeCase(key), snakeCased(value)]),
  )
}

function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased)
  // A SpelledNumber is an object too, but it is a value and not a row.
  if (!isObject(value) || toFloat(value) !== undefined) return value
  return requestRow(value)
}

function snakeCase(key: string): string {
  return key.replace(/(?<=[a-z])(?=[0-9A-Z])|(?<=[0-9])(?=[A-Z])/g, '_').toLowerCase()
}
