import { DAY_MS } from '../../spec/durations.ts'
import type { Total } from '../engine/records/turnover.ts'
import type { Floor } from '../exchange/floor.ts'
import type { Make } from '../patience.ts'
import { VALUE_PER_MICRO } from '../units.ts'
import type { Market } from './instruments.ts'
import { spanStart } from './price/spans.ts'
import type { SeededFeed } from './seeded-feed.ts'

/** What all markets together have traded since the world began, and seeded before on its first day. Micro-USDC. */
export type Traded = {
  /** Null for a day before the world's first. */
  readonly onDay: (day: number) => bigint | null
  /** From the midnight before the world began. */
  readonly inAll: () => bigint
}

export function createTraded(past: SeededFeed, floor: () => Floor, make: Make): Traded {
  const mornings = new Map<string, bigint>()

  /** The seeded trades of a market between midnight and genesis. */
  function morningOf(market: Market): bigint {
    const { genesisMs } = floor().engine.world
    const fromMs = spanStart(DAY_MS, genesisMs)
    return (
      mornings.get(market.symbol) ??
      make(
        () => seededBetween(past, market, fromMs, genesisMs),
        (amount) => mornings.set(market.symbol, amount),
      )
    )
  }

  function firstMorning(): bigint {
    let sum = 0n
    for (const market of past.instruments.values()) sum += morningOf(market)
    return sum
  }

  return {
    onDay: (day) => {
      const { engine, turnover } = floor()
      const first = Math.floor(engine.world.genesisMs / DAY_MS)
      if (day < first) return null
      const traded = microsOf(turnover.days.findLast((each) => each.day === day))
      return day === first ? traded + firstMorning() : traded
    },
    inAll: () => microsOf(floor().turnover.lifetime) + firstMorning(),
  }
}

function microsOf(total: Readonly<Total> | undefined): bigint {
  return total ? BigInt(total.usdc) * 1_000_000n + BigInt(total.micros) : 0n
}

function seededBetween(past: SeededFeed, market: Market, fromMs: number, toMs: number): bigint {
  const { symbol, quoteTick, baseTick } = market
  return (BigInt(past.bar(symbol, fromMs, toMs).amount) * quoteTick * baseTick) / VALUE_PER_MICRO
}
