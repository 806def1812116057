import { DAY_MS } from '../../spec/durations.ts'
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
 * The last day is the sum of the markets' own 24 hours. Longer spans are UTC days, today counted in: since genesis what
 * was traded on them, before it the usual turnover, which costs no computing of millions of trades.
 */
export function turnoverOf(feed: MarketFeed, genesisMs: number, nowMs: number): Turnover {
  let usualDaily = 0n
  let lastDay = 0n
  for (const [symbol, market] of feed.instruments) {
    usualDaily += BigInt(market.dailyTurnoverUsdc) * 1_000_000n
    lastDay += feed.day(symbol, nowMs).amount
  }
  const today = Math.floor(nowMs / DAY_MS)
  const since = (first: number) => {
    let sum = 0n
    for (let day = first; day <= today; day++) sum += feed.traded.onDay(day) ?? usualDaily
    return sum
  }
  const newYear = Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1) / DAY_MS
  const firstMs = spanStart(DAY_MS, genesisMs - LIFETIME_BEFORE_GENESIS_MS)
  const before = Math.round((spanStart(DAY_MS, feed.beganMs()) - firstMs) / DAY_MS)
  return {
    today: since(today),
    lastDay,
    last7Days: since(today - 6),
    last30Days: since(today - 29),
    yearToDate: since(Math.max(newYear, firstMs / DAY_MS)),
    lifetime: feed.traded.inAll() + usualDaily * BigInt(before),
  }
}
