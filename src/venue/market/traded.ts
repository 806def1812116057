import { DAY_MS } from '../../spec/durations.ts'
import type { Total } from '../engine/records/turnover.ts'
import type { Floor } from '../exchange/floor.ts'
import { VALUE_PER_MICRO } from '../units.ts'
import { spanStart } from './price/spans.ts'
import type { SeededFeed } from './seeded-feed.ts'

/** What all markets together have traded since the world began, and seeded before on its first day. Micro-USDC. */
export type Traded = {
  /** Null for a day before the world's first. */
  readonly onDay: (day: number) => bigint | null
  /** From the midnight before the world began. */
  readonly inAll: () => bigint
}

export function createTraded(past: SeededFeed, floor: () => Floor): Traded {
  let seeded: bigint | null = null

  /** The seeded trades between midnight and genesis. */
  function firstMorning(): bigint {
    const { genesisMs } = floor().engine.world
    seeded ??= seededBetween(past, spanStart(DAY_MS, genesisMs), genesisMs)
    return seeded
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

function seededBetween(past: SeededFeed, fromMs: number, toMs: number): bigint {
  let sum = 0n
  for (const { symbol, quoteTick, baseTick } of past.instruments.values())
    sum += (BigInt(past.bar(symbol, fromMs, toMs).amount) * quoteTick * baseTick) / VALUE_PER_MICRO
  return sum
}
