import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts'
import { tickDecimals } from '../../base/decimals.ts'
import type { MarketFeed } from '../../feed/live-feed.ts'
import type { Market } from '../../listing/instruments.ts'
import { positive, queryText, requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicReadRows, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { fixed, micro } from '../../messages/values.ts'
import type { Candle } from '../../past/candles.ts'
import { ALL_SPANS, MONTH_MS, spanBefore, WEEK_MS } from '../../past/spans.ts'

const RESOLUTIONS = ['1', '3', '5', '15', '30', '60', '240', '720', '1D', '1W', '1M'] as const
const INTRADAY = ['1', '5', '15', '30', '60', '240', '720'] as const

/** The charting library's configuration for accounts and orders. */
const CHART_CONFIG = {
  accountSummaryRow: [{ id: 'balance', title: 'Balance' }],
  accountManager: [
    {
      id: 'accountsummary',
      title: 'Account Summary',
      columns: [
        { id: 'title', title: 'Title' },
        { id: 'balance', title: 'Balance' },
      ],
    },
  ],
  durations: [
    {
      id: 'GTC',
      title: 'GTC',
      hasDatePicker: false,
      hasTimePicker: false,
      default: true,
      supportedOrderTypes: ['limit'],
    },
  ],
  orderCustomFields: [],
  orderHistoryCustomFields: [],
  positionCustomFields: [],
  pullingInterval: {
    quotes: 1000,
    orders: 1000,
    positions: 1000,
    accountManager: 1000,
    balances: 1000,
  },
} as const

/** The columns of `/v1/tv/symbol_info` by field name. */
const COLUMNS: Readonly<Record<string, (market: Market) => unknown>> = {
  symbol: ({ symbol }) => symbol,
  description: ({ base }) => `${base}-PERP`,
  currency: () => 'USDC',
  'base-currency': ({ base }) => base,
  'exchange-listed': () => 'Seeded',
  'exchange-traded': () => 'Seeded',
  minmovement: () => 1,
  minmovement2: () => 0,
  fractional: () => false,
  pricescale: ({ quoteTick }) => 10 ** tickDecimals(quoteTick),
  root: () => null,
  'root-description': () => null,
  'has-intraday': () => true,
  'has-no-volume': () => false,
  type: () => 'crypto',
  'is-cfd': () => false,
  ticker: ({ symbol }) => symbol,
  timezone: () => 'UTC',
  'session-regular': () => '24x7',
  'session-extended': () => '24x7',
  'session-premarket': () => null,
  'session-postmarket': () => null,
  'supported-resolutions': () => RESOLUTIONS,
  'has-daily': () => true,
  'intraday-multipliers': () => INTRADAY,
  'has-weekly-and-monthly': () => true,
  pointvalue: () => null,
  expiration: () => null,
  'bar-source': () => 'trade',
  'bar-transform': () => 'none',
  'bar-fillgaps': () => 'none',
  isin: () => '',
  wkn: () => '',
}

/**
 * The shared markets, one entry per market in each column. Markets of single builders are left out, because the gateway
 * cannot remove entries from columns.
 */
function symbolInfo(markets: Iterable<Market>) {
  const shared = [...markets].filter(({ listedBy }) => listedBy === null)
  const columns = Object.entries(COLUMNS).map(([name, cellOf]) => [name, shared.map(cellOf)])
  return { s: 'ok', ...Object.fromEntries(columns) }
}

const BARS_MAX = 1000

/** The charting library's names for candle lengths: a number of minutes, or a letter for days, weeks and months. */
const UDF_RESOLUTIONS: ReadonlyMap<string, number> = new Map([
  ...[1, 3, 5, 15, 30, 60, 240, 720].map((count) => [String(count), count * MINUTE_MS] as const),
  ...['', '1'].flatMap((count) => [
    [`${count}D`, DAY_MS] as const,
    [`${count}W`, WEEK_MS] as const,
    [`${count}M`, MONTH_MS] as const,
  ]),
])

/** The chart endpoints, in the charting library's format: without an envelope, and with columns instead of rows. */
export function chartRows({ feed }: { readonly feed: MarketFeed }): readonly VenueRow[] {
  const rows = publicReadRows({
    '/v1/tv/config': ({ query }) => {
      requiredQuery(query, 'locale')
      return { s: 'ok', d: CHART_CONFIG }
    },
    '/v1/tv/symbol_info': ({ query }) => {
      requiredQuery(query, 'group')
      return symbolInfo(feed.instruments.values())
    },
    '/v1/tv/history': (call) => history(feed, call),
    '/v1/tv/kline_history': (call) => klineHistory(feed, call),
  })
  return rows.map((row) => ({ ...row, envelope: 'bare' }))
}

/** The bars since `from`; with `countback`, that number of bars up to `to`, whatever `from` is. */
function history(feed: MarketFeed, { query, nowMs }: VenueCall) {
  const resolutionMs = queryResolution(UDF_RESOLUTIONS, query)
  const countback = queryText(query, 'countback')
  const count = countback === null ? BARS_MAX : positive(query, 'countback', 1)
  const fromMs = countback === null ? querySecondsAsMs(query, 'from') : 0
  const candles = queriedCandles(feed, query, { resolutionMs, fromMs, count, nowMs })
  return candles.length === 0 ? NO_BARS : { s: 'ok', ...candleColumns(candles) }
}

/** At most `limit` bars up to `to`. */
function klineHistory(feed: MarketFeed, { query, nowMs }: VenueCall) {
  const resolutionMs = queryResolution(ALL_SPANS, query)
  const count = positive(query, 'limit', BARS_MAX)
  const fromMs = querySecondsAsMs(query, 'from')
  const candles = queriedCandles(feed, query, { resolutionMs, fromMs, count, nowMs })
  if (candles.length === 0) return NO_BARS
  return { s: 'ok', ...candleColumns(candles), a: candles.map(({ amount }) => micro(amount)) }
}

const NO_BARS = { s: 'no_data' } as const

type Span = {
  readonly resolutionMs: number
  readonly fromMs: number
  readonly count: number
  readonly nowMs: number
}

function queriedCandles(feed: MarketFeed, query: URLSearchParams, span: Span): readonly Candle[] {
  const symbol = requiredQuery(query, 'symbol')
  const { resolutionMs, nowMs } = span
  const toMs = Math.min(querySecondsAsMs(query, 'to', nowMs + 1), nowMs + 1)
  if (!feed.instruments.has(symbol) || toMs <= 0) return []
  const count = Math.min(span.count, BARS_MAX)
  const fromMs = Math.max(span.fromMs, spanBefore(resolutionMs, toMs - 1, count))
  return feed.candles(symbol, resolutionMs, fromMs, toMs, nowMs).slice(-count)
}

function candleColumns(candles: readonly Candle[]) {
  return {
    t: candles.map(({ startMs }) => startMs / 1000),
    o: candles.map(({ open }) => fixed(open)),
    h: candles.map(({ high }) => fixed(high)),
    l: candles.map(({ low }) => fixed(low)),
    c: candles.map(({ close }) => fixed(close)),
    v: candles.map(({ volume }) => fixed(volume)),
  }
}

function queryResolution(
  resolutions: ReadonlyMap<unknown, number>,
  query: URLSearchParams,
): number {
  const resolutionMs = resolutions.get(requiredQuery(query, 'resolution'))
  if (resolutionMs === undefined) throw refusal('parameter', 'resolution is invalid')
  return resolutionMs
}

/** A time in Unix seconds, converted to ms. Throws -1005 for other text. */
function querySecondsAsMs(query: URLSearchParams, name: string, fallbackMs = 0): number {
  const text = queryText(query, name)
  if (text === null) return fallbackMs
  if (!/^\d{1,12}$/.test(text)) throw refusal('parameter', `${name} must be in seconds`)
  return Number(text) * 1000
}
