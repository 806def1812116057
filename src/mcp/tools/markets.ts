import { isObject, pick, type Row, rowsAt } from '../../core/json.ts'
import { suggest } from '../../settings/suggest.ts'
import { INTERVALS } from '../../spec/durations.ts'
import { CLAMPS } from '../../spec/limits.ts'
import { publicTool } from '../agent-tool.ts'
import { invalidArgument } from '../refusal.ts'
import { listAnswer } from '../results.ts'
import type { Tool, ToolContext } from '../tool.ts'
import {
  args,
  choice,
  fields,
  optional,
  rows,
  symbolArgument,
  symbolExample,
  text,
} from '../tool-arguments.ts'
import { cleaned } from '../untrusted-text.ts'
import { isSymbol, namedMarket, namedSymbol, nearestSymbol } from '../views/market.ts'
import { SPREAD, spreadsOf } from './spreads.ts'

const SORTS = ['volume', 'change', 'funding', 'open_interest'] as const

/** The sort key of each order, largest first; null where the service has sorted already. */
const SORT_VALUES: Readonly<Record<(typeof SORTS)[number], ((row: Row) => number) | null>> = {
  volume: null,
  change: (row) => Number(row['change24hPct']),
  funding: (row) => Number(row['est_funding_rate']),
  // Open interest counts base units; only its value compares.
  open_interest: (row) => Number(row['open_interest']) * Number(row['mark_price']),
}

/** The default fields of a market's row. */
const MARKET_FIELDS = [
  'symbol',
  'mark_price',
  'change24hPct',
  '24h_amount',
  'est_funding_rate',
] as const

/** Defaults whose answers stay below a thousand tokens. */
const CANDLES_DEFAULT = 24
const TRADES_DEFAULT = 20

const listMarkets = publicTool({
  name: 'list_markets',
  description:
    'Active perpetual markets. Start here to find a symbol. Prices and 24h_amount in USDC, 24h_volume and open_interest in the base asset, change24hPct and spread_pct (up to 5 rows, or 20 when in fields) in percent; funding rates are fractions.',
  arguments: args({
    search: optional(text('Part of a symbol or base asset, e.g. "eth".')),
    sort: choice(SORTS, 'By what.', 'volume'),
    order: choice(['desc', 'asc'], 'desc: highest first.', 'desc'),
    fields: optional(fields),
    limit: rows(200, 20),
  }),
  untrusted: true,
  run: async (context, { search, sort, order, fields: chosen, limit }) => {
    const all = rowsAt(await context.client.get('/api/prep/markets'), 'markets')
    const matched = search === undefined ? all : matching(all, search)
    const highest = sorted(matched, SORT_VALUES[sort])
    const found = order === 'asc' ? highest.toReversed() : highest
    const more = 'Pass search, or a larger limit.'
    const known = [...Object.keys(all[0] ?? {}), SPREAD]
    const names = chosenFields(chosen, known, MARKET_FIELDS)
    const symbols = found.slice(0, limit).map(symbolOf)
    const isNamed = chosen !== undefined && names.includes(SPREAD)
    const spreads = await spreadsOf(context, symbols, chosen === undefined ? 'default' : isNamed)
    const shown = found.map((row, at) => cleaned({ ...pick(row, names), ...spreads[at] }))
    return {
      ...listAnswer(shown, { rows: 'markets', rowsMax: limit, more }),
      ...(found.length === 0 && { near: nearestSymbol(search ?? '', all.map(symbolOf)).near }),
      as_of: context.venueClock.nowMs(),
    }
  },
})

const getMarket = publicTool({
  name: 'get_market',
  description:
    'One market: prices, funding, and the rules of an order: base_tick (size step), quote_tick (price step), base_min and base_max (size), min_notional (USDC), price_range and price_scope (fractions a limit price may be through or away from the mark), maxLeverage, margin rates.',
  arguments: args({ symbol: symbolExample }),
  untrusted: true,
  run: async (context, { symbol }) => {
    const market = await namedMarket(context, symbol)
    const funding = await context.client.get('/api/prep/funding', { symbol: market.symbol })
    const { row, info, maxLeverage } = market
    const parts = { symbol: market.symbol, market: row, rules: { maxLeverage, ...info }, funding }
    return cleaned({ ...parts, as_of: context.venueClock.nowMs() })
  },
})

const getOrderbook = publicTool({
  name: 'get_orderbook',
  title: 'Get order book',
  description:
    'Bids and asks, best first, with mid price and spread, as strings. Prices in USDC, quantities in the base asset.',
  arguments: args({ symbol: symbolArgument, depth: rows(100, 10) }),
  run: async (context, { symbol, depth }) => {
    const book = await atSymbol(context, symbol, '/api/prep/orderbook')
    const side = (name: string) => rowsAt(book, name)
    const [asks, bids] = [side('asks'), side('bids')]
    const total = { asks: asks.length, bids: bids.length }
    const cut = { asks: asks.slice(0, depth), bids: bids.slice(0, depth), levels: total }
    return { ...(isObject(book) ? book : {}), ...cut }
  },
})

const getCandles = publicTool({
  name: 'get_candles',
  description:
    'Price history, oldest first: a summary, columns, and rows of their values; prices in USDC, volume in the base asset, timestamp in ms is the start. The last candle is still open.',
  arguments: args({
    symbol: symbolArgument,
    interval: choice(INTERVALS, 'Length of a candle.', '1h'),
    fields: optional(fields),
    limit: rows(CLAMPS.candles.max, CANDLES_DEFAULT),
  }),
  run: async (context, { symbol, interval, fields: chosen, limit }) => {
    const columns = chosenFields(chosen, CANDLE_COLUMNS, CANDLE_COLUMNS)

    const query = { interval, limit: String(limit) }
    const candles = rowsAt(await atSymbol(context, symbol, '/api/prep/candles', query), 'rows')
    const more = 'Pass a longer interval, or fewer fields.'
    const values = candles.map((row) => valuesOf(row, columns))
    const list = listAnswer(values, { rows: 'rows', keep: 'last', more })
    const older = { limit_max: CLAMPS.candles.max }
    return { summary: summaryOf(candles, interval), columns, ...list, ...older }
  },
})

const listMarketTrades = publicTool({
  name: 'list_market_trades',
  description:
    'Public trades of one market, newest first: price in USDC, quantity in the base asset, side of the taker. Your own: list_fills.',
  arguments: args({
    symbol: symbolArgument,
    limit: rows(CLAMPS.trades.max, TRADES_DEFAULT),
  }),
  run: async (context, { symbol, limit }) => {
    const query = { limit: String(limit) }
    const trades = rowsAt(await atSymbol(context, symbol, '/api/prep/trades', query), 'trades')
    return listAnswer(trades, { rows: 'trades', rowsMax: limit, more: 'Only the latest are kept.' })
  },
})

const getFunding = publicTool({
  name: 'get_funding',
  description:
    'Funding of one market: estimated and last rate as fractions per period (0.0001 = 0.01%), positive: longs pay shorts; next_funding_time in ms. Past rates: read_operation funding.history.',
  arguments: args({ symbol: symbolArgument }),
  run: (context, { symbol }) => atSymbol(context, symbol, '/api/prep/funding'),
})

/** Tools about markets. */
export const MARKET_TOOLS: readonly Tool[] = [
  listMarkets,
  getMarket,
  getOrderbook,
  getCandles,
  listMarketTrades,
  getFunding,
]

/** A public read of one market. A well-formed symbol is asked for at once, and looked up only when there is none. */
async function atSymbol(
  context: ToolContext,
  word: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { client } = context
  if (!isSymbol(word)) {
    return client.get(path, { symbol: await namedSymbol(context, word), ...query })
  }
  try {
    return await client.get(path, { symbol: word, ...query })
  } catch (error) {
    if (isNotFound(error)) await namedSymbol(context, word)
    throw error
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'not_found'
}

function matching(all: readonly Row[], search: string): readonly Row[] {
  const word = search.trim().toUpperCase()
  const holding = all.filter((row) => symbolOf(row).includes(word))
  if (holding.length > 0) return holding
  const { exact } = nearestSymbol(search, all.map(symbolOf))
  return all.filter((row) => symbolOf(row) === exact)
}

function symbolOf(row: Row): string {
  return String(row['symbol'])
}

function sorted(found: readonly Row[], value: ((row: Row) => number) | null): readonly Row[] {
  return value ? found.toSorted((a, b) => value(b) - value(a)) : found
}

/** The columns of a row of candles, in this order. */
const CANDLE_COLUMNS = ['timestamp', 'open', 'high', 'low', 'close', 'volume'] as const

/** The values of a candle by column; null where it has none. */
function valuesOf(candle: Row, columns: readonly string[]): readonly unknown[] {
  return columns.map((column) => candle[column] ?? null)
}

/** One sentence about a run of candles, oldest first: how many, from where to where, and their extremes. */
function summaryOf(candles: readonly Row[], interval: string): string {
  const [first, last] = [candles[0], candles.at(-1)]
  if (!first || !last) return 'No candles.'
  const [open, close] = [Number(first['open']), Number(last['close'])]
  const change = open > 0 ? `${(((close - open) / open) * 100).toFixed(2)}%` : 'unknown'
  const high = candles.reduce((most, { high: price }) => Math.max(most, Number(price)), -Infinity)
  const low = candles.reduce((least, { low: price }) => Math.min(least, Number(price)), Infinity)
  return `${candles.length} candles of ${interval}: ${open} to ${close} (${change}), high ${high}, low ${low}.`
}

/** The fields that a text names between commas, or all, or the usual ones. Throws invalid_request for one that no row has. */
function chosenFields(
  list: string | undefined,
  known: readonly string[],
  usual: readonly string[],
): readonly string[] {
  if (list === undefined) return usual
  const names = list.split(',').map((name) => name.trim())
  if (names.includes(ALL)) return known
  const unknown = known.length === 0 ? undefined : names.find((name) => !known.includes(name))
  if (unknown === undefined) return names
  throw invalidArgument('fields', 'malformed', {
    allowed: [ALL, ...known],
    ...suggested(suggest(unknown, known)),
  })
}

const ALL = 'all'

function suggested(suggestion: string | undefined) {
  return suggestion === undefined ? {} : { suggestion }
}
