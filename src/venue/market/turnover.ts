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

/** What was traded since a world began: on a UTC day, by its number, and altogether. */
export type Traded = {
  readonly genesisMs: number
  readonly on: (day: number) => bigint
  readonly total: bigint
}

/** The platform was trading this long before it was made. */
const LIFETIME_BEFORE_MS = 400 * DAY_MS

/**
 * Today and the last day are the sums of the markets' own candles; earlier days are the trades of the world, and before
 * it the usual turnover: within a few per cent of the candles, and without computing millions of trades.
 */
export function turnoverOf(
  feed: MarketFeed,
  traded: Traded,
  madeAtMs: number,
  nowMs: number,
): Turnover {
  const { genesisMs, on, total } = traded
  const { usualDaily, lastDay, today } = presentOf(feed, nowMs)
  const usual = (fromMs: number, toMs: number) =>
    (usualDaily * BigInt(Math.max(0, toMs - fromMs))) / BigInt(DAY_MS)
  const midnight = spanStart(DAY_MS, nowMs) / DAY_MS
  const onDay = (day: number) =>
    on(day) + usual(day * DAY_MS, Math.min((day + 1) * DAY_MS, genesisMs))

  function days(from: number): bigint {
    let sum = today
    for (let day = from; day < midnight; day += 1) sum += onDay(day)
    return sum
  }

  /** So many times 24 hours: of the day that is cut by their beginning, the part within. */
  function window(count: number): bigint {
    const cutMs = nowMs - count * DAY_MS
    const cut = midnight - count
    const within = BigInt((cut + 1) * DAY_MS - cutMs)
    return days(cut + 1) + (onDay(cut) * within) / BigInt(DAY_MS)
  }

  const firstMs = spanStart(DAY_MS, madeAtMs - LIFETIME_BEFORE_MS)
  const newYear = Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1) / DAY_MS
  return {
    today,
    lastDay,
    last7Days: window(7),
    last30Days: window(30),
    yearToDate: days(Math.max(newYear, firstMs / DAY_MS)),
    lifetime: usual(firstMs, genesisMs) + total,
  }
}

/** What the candles say, and what a day usually turns over. */
function presentOf(feed: MarketFeed, nowMs: number) {
  let [usualDaily, lastDay, today] = [0n, 0n, 0n]
  for (const [symbol, market] of feed.instruments) {
    usualDaily += BigInt(market.dailyTurnoverUsdc) * 1_000_000n
    lastDay += feed.day(symbol, nowMs).amount
    const sinceMidnight = feed.candles(symbol, HOUR_MS, spanStart(DAY_MS, nowMs), nowMs + 1, nowMs)
    for (const { amount } of sinceMidnight) today += amount
  }
  return { usualDaily, lastDay, today }
}
