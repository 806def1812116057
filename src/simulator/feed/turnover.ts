import { DAY_MS } from '../../contract/durations.ts'
import { VALUE_PER_MICRO } from '../base/decimals.ts'
import type { Simulation } from '../exchange/simulation.ts'
import type { Total } from '../history/turnover.ts'
import type { Market } from '../listing/instruments.ts'
import type { SeededFeed } from '../past/seeded-feed.ts'
import { spanStart } from '../past/spans.ts'

/** The turnover of all markets, each trade counted once, in micro-USDC. */
type Turnover = {
  readonly today: bigint
  readonly lastDay: bigint
  readonly last7Days: bigint
  readonly last30Days: bigint
  readonly yearToDate: bigint
  readonly lifetime: bigint
}

/** The figures from which a turnover is computed. */
type TurnoverSource = {
  readonly instruments: ReadonlyMap<string, Market>
  readonly day: (symbol: string, nowMs: number) => { readonly amount: bigint }
  readonly traded: TotalTurnover
  /** The time at which the seeded history ended and the world began. */
  readonly beganMs: () => number
}

/** The platform is shown as having traded for this long before the world began. */
const LIFETIME_BEFORE_WORLD_MS = 400 * DAY_MS

/**
 * The turnover of the venue. The turnover of the last day is the sum of the markets' 24-hour turnovers. Longer spans
 * are UTC days including today. Since the world began, trades are summed; for earlier days the usual turnover is
 * assumed, because computing it would take millions of trades.
 */
export function venueTurnover(feed: TurnoverSource, beginsAtMs: number, nowMs: number): Turnover {
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
  const firstMs = spanStart(DAY_MS, beginsAtMs - LIFETIME_BEFORE_WORLD_MS)
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

/**
 * The turnover of all markets since the world began, plus the seeded trades between the preceding UTC midnight and that
 * moment. Micro-USDC.
 */
export type TotalTurnover = {
  /** The turnover of a UTC day; null for a day before the world's first day. */
  readonly onDay: (day: number) => bigint | null
  /** The turnover since the midnight before the world began. */
  readonly inAll: () => bigint
}

export function createTotalTurnover(past: SeededFeed, simulation: () => Simulation): TotalTurnover {
  const mornings = new Map<string, bigint>()

  /** The seeded trades of a market between midnight and the world's beginning. */
  function morningTurnover(market: Market): bigint {
    const { beginsAtMs } = simulation().engine.world
    const fromMs = spanStart(DAY_MS, beginsAtMs)
    const amount = mornings.get(market.symbol) ?? seededBetween(past, market, fromMs, beginsAtMs)
    mornings.set(market.symbol, amount)
    return amount
  }

  function firstMorning(): bigint {
    let sum = 0n
    for (const market of past.instruments.values()) sum += morningTurnover(market)
    return sum
  }

  return {
    onDay: (day) => {
      const { engine, turnover } = simulation()
      const first = Math.floor(engine.world.beginsAtMs / DAY_MS)
      if (day < first) return null
      const traded = turnoverMicros(turnover.days.findLast((each) => each.day === day))
      return day === first ? traded + firstMorning() : traded
    },
    inAll: () => turnoverMicros(simulation().turnover.lifetime) + firstMorning(),
  }
}

function turnoverMicros(total: Readonly<Total> | undefined): bigint {
  return total ? BigInt(total.usdc) * 1_000_000n + BigInt(total.micros) : 0n
}

function seededBetween(past: SeededFeed, market: Market, fromMs: number, toMs: number): bigint {
  const { symbol, quoteTick, baseTick } = market
  return (BigInt(past.bar(symbol, fromMs, toMs).amount) * quoteTick * baseTick) / VALUE_PER_MICRO
}
