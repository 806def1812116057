import type { Activity } from '../contract/venue/activity.ts'
import { RATE_ONE } from './base/units.ts'
import type { InitialState } from './engine/run.ts'
import { MARKETS } from './listing/instruments.ts'
import type { SeededFeed } from './past/seeded-feed.ts'
import { replayedPrices } from './prices/replay.ts'
import { marketSpec } from './state/markets.ts'
import type { TapeToPlay } from './state/tape.ts'
import type { IndexSource } from './state/world.ts'

/**
 * The initial state of a world at the end of the seeded history. With a CSV of candles, index prices follow the
 * candles. Throws RangeError that names an invalid line.
 */
export function createInitialState(
  past: SeededFeed,
  beginsAtMs: number,
  pricesCsv: string | null,
  activity: Activity,
  tape: TapeToPlay | null,
): InitialState {
  const prices: IndexSource =
    pricesCsv === null
      ? { kind: 'seeded' }
      : replayedPrices(pricesCsv, new Map(Array.from(MARKETS.values(), specEntry)))
  return {
    listed: [...past.instruments.values()],
    seed: past.seed,
    beginsAtMs,
    activity,
    prices,
    tape,
    startOf: ({ symbol, quoteTick }) => {
      const { sumUnitary, lastRate } = past.funding(symbol, beginsAtMs)
      const replayed = prices.kind === 'replayed' ? prices.priceAt(symbol, beginsAtMs) : null
      const recorded = tape?.firstPrice(symbol)
      return {
        index:
          (recorded && (recorded * RATE_ONE) / Number(quoteTick)) ??
          replayed ??
          Number(past.index(symbol, beginsAtMs) / quoteTick),
        sumUnitary: Number(sumUnitary),
        lastRate: Number(lastRate),
      }
    },
  }
}

function specEntry(market: Parameters<typeof marketSpec>[0]) {
  return [market.symbol, marketSpec(market)] as const
}
