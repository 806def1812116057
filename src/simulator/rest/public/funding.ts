import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts'
import type { MarketFeed } from '../../feed/live-feed.ts'
import type { Market } from '../../listing/instruments.ts'
import { latestIn, queriedPage, requiredQuery } from '../../messages/page.ts'
import { publicReadRows, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { fixed } from '../../messages/values.ts'
import type { Settlement } from '../../past/funding-rates.ts'

const HISTORY_DEFAULT_ROWS = 60
const ESTIMATED_EVERY_MS = 15_000

const WINDOWS = [
  ['1d', DAY_MS],
  ['3d', 3 * DAY_MS],
  ['7d', 7 * DAY_MS],
  ['14d', 14 * DAY_MS],
  ['30d', 30 * DAY_MS],
  ['90d', 90 * DAY_MS],
  ['180d', 180 * DAY_MS],
] as const

/** Public endpoints about funding. */
export function fundingRows({ feed }: { readonly feed: MarketFeed }): readonly VenueRow[] {
  const markets = [...feed.instruments.values()]
  return publicReadRows({
    '/v1/public/funding_rates': ({ nowMs }) => ({
      rows: markets.map((market) => fundingRateRow(feed, market, nowMs)),
    }),
    '/v1/public/funding_rate/{symbol}': ({ params, nowMs }) => {
      const market = feed.instruments.get(params['symbol'] ?? '')
      return market && fundingRateRow(feed, market, nowMs)
    },
    '/v1/public/funding_rate_history': (call) => history(feed, call),
    '/v1/public/market_info/funding_history': ({ nowMs }) => ({
      rows: markets.map(({ symbol }) => fundingAverages(symbol, feed.settlements(symbol), nowMs)),
    }),
  })
}

function fundingRateRow(feed: MarketFeed, { symbol }: Market, nowMs: number) {
  const funding = feed.funding(symbol)
  return {
    symbol,
    est_funding_rate: fixed(funding.estimatedRate),
    est_funding_rate_timestamp: Math.floor(nowMs / ESTIMATED_EVERY_MS) * ESTIMATED_EVERY_MS,
    last_funding_rate: fixed(funding.lastRate),
    last_funding_rate_timestamp: funding.lastAtMs,
    next_funding_time: funding.nextAtMs,
    sum_unitary_funding: fixed(funding.sumUnitary),
  }
}

/** The funding settlements, newest first; empty for an unknown market. */
function history(feed: MarketFeed, { query }: VenueCall) {
  const symbol = requiredQuery(query, 'symbol')
  const market = feed.instruments.get(symbol)
  const chosen = latestIn(market ? feed.settlements(symbol) : [], query)
  const { rows, meta } = queriedPage(chosen, query, HISTORY_DEFAULT_ROWS)
  const periodMs = (market?.fundingPeriodHours ?? 1) * HOUR_MS
  return {
    rows: rows.map(({ atMs, rate }) => ({
      symbol,
      funding_rate: fixed(rate),
      funding_rate_timestamp: atMs,
      next_funding_time: atMs + periodMs,
    })),
    meta,
  }
}

function fundingAverages(symbol: string, settlements: readonly Settlement[], nowMs: number) {
  const last = settlements.at(-1)
  const windows = WINDOWS.map(([name, windowMs]) => {
    const before = settlements.findLast(({ atMs }) => atMs <= nowMs - windowMs)
    return [name, averageBetween(before, last)]
  })
  const beforeLast = settlements.at(-2)
  return {
    symbol,
    data_start_time: secondsText(settlements[0]?.atMs ?? nowMs),
    funding: { last: averageBetween(beforeLast, last), ...Object.fromEntries(windows) },
  }
}

/** The mean rate of the settlements after `before` up to `last`, and the numbers of positive and of negative rates. */
function averageBetween(before: Settlement | undefined, last: Settlement | undefined) {
  const count = (last?.count ?? 0) - (before?.count ?? 0)
  const sum = (last?.sumRates ?? 0n) - (before?.sumRates ?? 0n)
  return {
    rate: fixed(count === 0 ? 0n : sum / BigInt(count)),
    positive: (last?.positives ?? 0) - (before?.positives ?? 0),
    negative: (last?.negatives ?? 0) - (before?.negatives ?? 0),
  }
}

/** A time in UTC as text, such as 2026-05-01 00:00:00. */
function secondsText(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')
}
