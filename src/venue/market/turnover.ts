import { DAY_MS, HOUR_MS } from '../../spec/durations.ts'
import type { MarketFeed } from './live-feed.ts'
import { spanStart } from './price/spans.ts'

/** What all markets together have traded, each trade counted once: USDC with six decimals. */
export type Turnover = {
  readonly today: bigint
  readonly lastDay: bigint
  readonly last7Days: bigint
  readonly last30Days: bigint
  readonly yearToDate: bigint
  readonly lifetime: bigint
}

/** The platform was trading this long before genesis. */
const LIFETIME_BEFORE_GENESIS_MS = 400 * DAY_MS

/**
 * Today and the last day are the sums of the markets' own candles. Longer spans add the usual turnover for the days
 * before: within a few per cent of the candles, and without computing millions of trades.
 */
export function turnoverOf(feed: MarketFeed, genesisMs: number, nowMs: number): Turnover {
  let usualDaily = 0n
  let lastDay = 0n
  let today = 0n
  const midnightMs = spanStart(DAY_MS, nowMs)
  for (const [symbol, market] of feed.instruments) {
    usualDaily += BigInt(market.dailyTurnoverUsdc) * 1_000_000n
    lastDay += feed.day(symbol, nowMs).amount
    for (const { amount } of feed.candles(symbol, HOUR_MS, midnightMs, nowMs + 1, nowMs)) {
      today += amount
    }
  }
  const days = (fromMs: number) => {
    const wholeDays = Math.max(0, Math.round((midnightMs - fromMs) / DAY_MS))
    return today + usualDaily * BigInt(wholeDays)
  }
  const firstMs = spanStart(DAY_MS, genesisMs - LIFETIME_BEFORE_GENESIS_MS)
  const newYearMs = Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1)
  return {
    today,
    lastDay,
    last7Days: lastDay + usualDaily * 6n,
    last30Days: lastDay + usualDaily * 29n,
    yearToDate: days(Math.max(newYearMs, firstMs)),
    lifetime: days(firstMs),
  }
}
