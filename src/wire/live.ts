import { isObject, numberOf } from '../core/json.ts'
import { baseOf } from './symbol.ts'

/**
 * The venue's live wire in its own words: topics, sockets, and what the fields of its messages are called where the
 * same things are read by request. Source: its WebSocket interface.
 */

type Row = Readonly<Record<string, unknown>>

/** The segment that the public socket's path ends with; the venue closes sockets with another. */
const PUBLIC_ID = 'OqdphuyCtYWxwzhxyLLjOWNdFP7sQt8RPWzmb5xY'

export const LIVE_PATHS = {
  open: `/ws/stream/${PUBLIC_ID}`,
  account: (accountId: string) => `/v2/ws/private/stream/${accountId}`,
} as const

/** Topics by what they are about. */
export const LIVE_TOPICS = {
  tickers: 'tickers',
  marks: 'markprices',
  indexes: 'indexprices',
  liquidations: 'liquidation',
  status: 'maintenance_status',
  ticker: (symbol: string) => `${symbol}@ticker`,
  mark: (symbol: string) => `${symbol}@markprice`,
  index: (symbol: string) => `SPOT_${baseOf(symbol)}_USDC@indexprice`,
  openInterest: (symbol: string) => `${symbol}@openinterest`,
  funding: (symbol: string) => `${symbol}@estfundingrate`,
  book: (symbol: string) => `${symbol}@orderbookupdate`,
  trade: (symbol: string) => `${symbol}@trade`,
  candle: (symbol: string, interval: string) => `${symbol}@kline_${interval}`,
} as const

/** The private topics that every authenticated socket is subscribed to. */
export const ACCOUNT_TOPICS = ['executionreport', 'position', 'balance'] as const

/** What each kind of message says of a market, by the names of the market's row. */
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

/** What a message of one market or of all says of each: the market and its changed fields. */
export function marketPatches(topic: string, data: unknown): readonly Row[] {
  const kind = (topic.split('@')[1] ?? topic).replace(/s$/, '')
  const fields = MARKET_FIELDS[kind] ?? {}
  return rowsIn(data).map((row) => ({
    symbol: perpetualOf(row['symbol']),
    ...renamed(row, fields),
  }))
}

// The index is that of a spot market; the perpetual on it has its base and quote.
function perpetualOf(symbol: unknown): string {
  return String(symbol).replace(/^SPOT_/, 'PERP_')
}

function renamed(row: Row, fields: Readonly<Record<string, string>>): Row {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([from, to]) =>
      row[from] === undefined || row[from] === null ? [] : [[to, row[from]]],
    ),
  )
}

/** One trade as a row of the tape; undefined where the message has none. */
export function tradeRow(data: unknown, atMs: number): Row | undefined {
  if (!isObject(data)) return undefined
  return {
    symbol: data['symbol'],
    side: data['side'],
    executed_price: data['price'],
    executed_quantity: data['size'],
    executed_timestamp: atMs,
  }
}

/** The growing candle, its values as text. */
export function candleRow(data: unknown): Row | undefined {
  if (!isObject(data)) return undefined
  const { open, high, low, close, volume, startTime } = data
  const [o, h, l, c, v] = [open, high, low, close, volume].map(String)
  return { open: o, high: h, low: l, close: c, volume: v, timestamp: numberOf(startTime) }
}

/** Rows under the names they have when they are read by request: `positionsByPerp` is `positions_by_perp`. */
export function requestRows(data: unknown): readonly Row[] {
  return rowsIn(data).map((row) => snakeCased(row) as Row)
}

const ORDER_NAMES: Readonly<Record<string, string>> = {
  executed_quantity: 'last_executed_quantity',
  executed_price: 'last_executed_price',
  total_executed_quantity: 'executed_quantity',
  avg_executed_price: 'average_executed_price',
  timestamp: 'updated_time',
}

/** An execution report as a row of orders: what is executed in all, at what price on average. */
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

/** An execution report as a row of trades; undefined where nothing was executed. */
export function fillRow(report: Row): Row | undefined {
  if ((numberOf(report['trade_id']) ?? 0) <= 0) return undefined
  const fields = FILL_FIELDS.filter((field) => report[field] !== undefined)
  const fill = Object.fromEntries(fields.map((field) => [field, report[field]]))
  return { ...namedAs(fill, FILL_NAMES), is_maker: report['maker'] === true ? 1 : 0 }
}

const BALANCE_NAMES: Readonly<Record<string, string>> = {
  pending_short_qty: 'pending_short',
  pending_long_qty: 'pending_long',
}

/** A message of balances by token as rows of holdings. */
export function balanceRows(data: unknown): readonly Row[] {
  const balances = isObject(data) && isObject(data['balances']) ? data['balances'] : {}
  return Object.entries(balances).flatMap(([token, balance]) =>
    isObject(balance) ? [{ token, ...namedAs(snakeCased(balance) as Row, BALANCE_NAMES) }] : [],
  )
}

/** A message of positions as rows. */
export function positionRows(data: unknown): readonly Row[] {
  const rows = requestRows(isObject(data) ? (data['positions'] ?? []) : data)
  return rows.map((row) => namedAs(row, POSITION_NAMES))
}

const POSITION_NAMES: Readonly<Record<string, string>> = {
  imrwith_orders: 'IMR_withdraw_orders',
  mmrwith_orders: 'MMR_with_orders',
}

function namedAs(row: Row, names: Readonly<Record<string, string>>): Row {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [names[key] ?? key, value]))
}

function rowsIn(data: unknown): readonly Row[] {
  return (Array.isArray(data) ? data : [data]).filter(isObject)
}

function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased)
  // A number with a spelling of its own is an object too, and no row.
  if (!isObject(value) || numberOf(value) !== undefined) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [snakeCase(key), snakeCased(member)]),
  )
}

function snakeCase(key: string): string {
  return key.replace(/(?<=[a-z])(?=[0-9A-Z])|(?<=[0-9])(?=[A-Z])/g, '_').toLowerCase()
}
