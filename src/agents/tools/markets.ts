import { CLAMPS } from '../../contract/limits.ts'
import { isObject, pick, type Row, rowsAt } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { amountNumber, quotient } from '../../perp/amounts.ts'
import type { Book } from '../../perp/book.ts'
import { ClientFailure } from '../client/client.ts'
import { readBook } from '../orders/prepare.ts'
import { invalidArgument } from '../refusal.ts'
import { listAnswer } from '../results.ts'
import { chosenFields, figure } from '../rows.ts'
import type { Tool, ToolContext } from '../tool.ts'
import {
  argumentSchema,
  choice,
  fields,
  optional,
  rows,
  symbolArgument,
  symbolExample,
  text,
} from '../tool-arguments.ts'
import { publicTool } from '../tool-kinds.ts'
import { cleanedPayload } from '../untrusted-text.ts'
import { atSymbol, namedMarket, nearestSymbol } from '../views/market.ts'
import { closedSession, readSessions } from '../views/session.ts'
import { getCandles } from './candles.ts'

const SORTS = ['volume', 'change', 'funding', 'open_interest'] as const

/** The sort value per sort order, largest first; null if the service has already sorted the rows. */
const SORT_VALUES: Readonly<Record<(typeof SORTS)[number], ((row: Row) => number) | null>> = {
  volume: null,
  change: (row) => Number(row['change24hPct']),
  funding: (row) => Number(row['est_funding_rate_8h'] ?? -Infinity),
  // Open interest is in base units; only its value in USDC is comparable between markets.
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

/** The default fields for comparing funding, because markets have funding periods of 1, 4 and 8 hours. */
const FUNDING_FIELDS = [
  'symbol',
  'mark_price',
  'funding_period_h',
  'est_funding_rate_8h',
  'est_funding_rate_day',
] as const

/** Default numbers of rows, so that the answers stay below 1,000 tokens. */
const TRADES_DEFAULT = 20

const listMarkets = publicTool({
  name: 'list_markets',
  description:
    'Active perpetual markets. Start here to find a symbol. Prices and 24h_amount in USDC, 24h_volume and open_interest in the base asset, change24hPct and spread_pct (up to 5 rows, or 20 when in fields) in percent; funding rates are fractions.',
  arguments: argumentSchema({
    search: optional(text('Part of a symbol or base asset, e.g. "eth".')),
    sort: choice(SORTS, 'By what.', 'volume'),
    order: choice(['desc', 'asc'], 'desc: highest first.', 'desc'),
    fields: optional(fields),
    limit: rows(200, 20),
  }),
  untrusted: true,
  run: async (context, { search, sort, order, fields: chosen, limit }) => {
    const all = await marketRows(context, sort === 'funding' || chosen !== undefined)
    const matched = search === undefined ? all : matching(all, search)
    const highest = sorted(matched, SORT_VALUES[sort])
    const found = order === 'asc' ? highest.toReversed() : highest
    const more = 'Pass search, or a larger limit.'
    const known = [...Object.keys(all[0] ?? {}), SPREAD]
    const usual = sort === 'funding' ? FUNDING_FIELDS : MARKET_FIELDS
    const names = chosenFields(chosen, known, usual)
    const symbols = found.slice(0, limit).map(rowSymbol)
    const isNamed = chosen !== undefined && names.includes(SPREAD)
    const [spreads, sessions] = await Promise.all([
      readSpreads(context, symbols, chosen === undefined ? 'default' : isNamed),
      readSessions(context),
    ])
    const shown = found.map((row, at) => {
      const session = closedSession(sessions.get(rowSymbol(row)))
      return cleanedPayload({ ...pick(row, names), ...spreads[at], ...session })
    })
    return {
      ...listAnswer(shown, { rows: 'markets', rowsMax: limit, more }),
      ...(found.length === 0 && { near: nearestSymbol(search ?? '', all.map(rowSymbol)).near }),
      as_of: context.venueClock.nowMs(),
    }
  },
})

const getMarket = publicTool({
  name: 'get_market',
  description:
    'One market: prices, funding, and the rules of an order: base_tick (size step), quote_tick (price step), base_min and base_max (size), min_notional (USDC), price_range and price_scope (fractions a limit price may be through or away from the mark), maxLeverage, margin rates.',
  arguments: argumentSchema({ symbol: symbolExample }),
  untrusted: true,
  run: async (context, { symbol }) => {
    const market = await namedMarket(context, symbol)
    const [funding, sessions] = await Promise.all([
      context.client.get('/api/prep/funding', { symbol: market.symbol }),
      readSessions(context),
    ])
    const session = sessions.get(market.symbol)
    const { row, info, maxLeverage } = market
    const parts = { symbol: market.symbol, market: row, rules: { maxLeverage, ...info }, funding }
    return cleanedPayload({
      ...parts,
      ...(session && { session }),
      as_of: context.venueClock.nowMs(),
    })
  },
})

const getOrderbook = publicTool({
  name: 'get_orderbook',
  title: 'Get order book',
  description:
    'Bids and asks, best first, with mid price and spread, as strings. Prices in USDC, quantities in the base asset.',
  arguments: argumentSchema({ symbol: symbolArgument, depth: rows(100, 10) }),
  run: async (context, { symbol, depth }) => {
    const book = await atSymbol(context, symbol, '/api/prep/orderbook')
    const side = (name: string) => rowsAt(book, name)
    const [asks, bids] = [side('asks'), side('bids')]
    const total = { asks: asks.length, bids: bids.length }
    const cut = { asks: asks.slice(0, depth), bids: bids.slice(0, depth), levels: total }
    return { ...(isObject(book) ? book : {}), ...cut }
  },
})

const listMarketTrades = publicTool({
  name: 'list_market_trades',
  description:
    'Public trades of one market, newest first: price in USDC, quantity in the base asset, side of the taker. Your own: list_fills.',
  arguments: argumentSchema({
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
    'Funding of one market as fractions (0.0001 = 0.01%), positive: longs pay shorts; rates per period of funding_period_h, and per 8 h and day, which compare. Past rates: read_operation funding.history.',
  arguments: argumentSchema({ symbol: symbolArgument }),
  run: async (context, { symbol }) => {
    const [funding, hours] = await Promise.all([
      atSymbol(context, symbol, '/api/prep/funding'),
      fundingHours(context),
    ])
    const row = isObject(funding) ? funding : {}
    return { ...row, ...comparableRates(row, hours.get(String(row['symbol']))) }
  },
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

/** Reads the active markets, on request with funding rates that are comparable between markets. */
async function marketRows(context: ToolContext, withFunding: boolean): Promise<readonly Row[]> {
  const [answer, hours] = await Promise.all([
    context.client.get('/api/prep/markets'),
    withFunding ? fundingHours(context) : null,
  ])
  const markets = rowsAt(answer, 'markets')
  if (!hours) return markets
  return markets.map((row) => ({ ...row, ...comparableRates(row, hours.get(rowSymbol(row))) }))
}

function matching(all: readonly Row[], search: string): readonly Row[] {
  const word = search.trim().toUpperCase()
  const holding = all.filter((row) => rowSymbol(row).includes(word))
  if (holding.length > 0) return holding
  const { exact } = nearestSymbol(search, all.map(rowSymbol))
  return all.filter((row) => rowSymbol(row) === exact)
}

function rowSymbol(row: Row): string {
  return String(row['symbol'])
}

function sorted(found: readonly Row[], value: ((row: Row) => number) | null): readonly Row[] {
  return value ? found.toSorted((a, b) => value(b) - value(a)) : found
}

/** Reads the funding period per market in hours, by symbol; empty if the rules cannot be read. */
async function fundingHours({ client }: ToolContext): Promise<ReadonlyMap<string, number>> {
  const answer = await client
    .get('/api/prep/market-rules')
    .catch(defaultOnFailure('mcp', null, ClientFailure))
  const rules = rowsAt(answer, 'rules')
  return new Map(
    rules.flatMap(({ symbol, info }) => {
      const hours = isObject(info) ? figure(info, 'funding_period') : 0
      return hours > 0 ? [[String(symbol), hours] as const] : []
    }),
  )
}

const COMPARED_HOURS = 8
const DAY_HOURS = 24
const DECIMALS = 10

/**
 * A row's funding rates as fractions per 8 hours and per day, which are comparable: markets pay funding every 1, 4 or 8
 * hours. Null if the period is unknown.
 */
function comparableRates(row: Row, hours: number | undefined) {
  const per = (name: string, span: number) =>
    hours === undefined || typeof row[name] !== 'number'
      ? null
      : Number(((figure(row, name) * span) / hours).toFixed(DECIMALS))
  return {
    funding_period_h: hours ?? null,
    est_funding_rate_8h: per('est_funding_rate', COMPARED_HOURS),
    est_funding_rate_day: per('est_funding_rate', DAY_HOURS),
    last_funding_rate_8h: per('last_funding_rate', COMPARED_HOURS),
  }
}

/** The field for the distance between best bid and best ask, in percent of the mid price. */
const SPREAD = 'spread_pct'

/** Maximum number of markets whose order books are read for one answer: by default, and on request. */
const SPREADS_DEFAULT = 5
const SPREADS_MAX = 20

/** Reads the spread per market; null for an unreadable or one-sided book. Empty if spreads were not requested. */
async function readSpreads(
  context: ToolContext,
  symbols: readonly string[],
  asked: boolean | 'default',
): Promise<readonly Row[]> {
  if (asked === true && symbols.length > SPREADS_MAX) {
    throw invalidArgument('limit', 'out_of_range', {
      ...{ maximum: SPREADS_MAX, suggestion: SPREADS_MAX },
      next: `${SPREAD} is read for at most ${SPREADS_MAX} markets at once.`,
    })
  }
  if (!asked || (asked === 'default' && symbols.length > SPREADS_DEFAULT)) return []
  return Promise.all(
    symbols.map(async (symbol) => {
      const book = await readBook(context, symbol).catch(
        defaultOnFailure('mcp', null, ClientFailure),
      )
      return { [SPREAD]: book && bookSpread(book) }
    }),
  )
}

function bookSpread({ bids, asks }: Book): number | null {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price]
  if (bid === undefined || ask === undefined || bid + ask <= 0n) return null
  return Number(amountNumber(quotient((ask - bid) * 200n, bid + ask)).toFixed(4))
}
