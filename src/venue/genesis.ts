import { specOf } from './engine/markets.ts'
import { replayedPrices } from './engine/prices/replay.ts'
import type { Genesis } from './engine/run.ts'
import type { IndexSource } from './engine/world.ts'
import { MARKETS } from './market/instruments.ts'
import type { SeededFeed } from './market/seeded-feed.ts'

/**
 * A world that begins where the seeded history ends. With a CSV of candles its index prices follow them; throws
 * RangeError naming the line that is no candle.
 */
export function genesisOf(
  past: SeededFeed,
  genesisMs: number,
  pricesCsv: string | null = null,
): Genesis {
  const prices: IndexSource =
    pricesCsv === null
      ? { kind: 'seeded' }
      : replayedPrices(pricesCsv, new Map(Array.from(MARKETS.values(), specEntryOf)))
  return {
    listed: [...past.instruments.values()],
    seed: past.seed,
    genesisMs,
    prices,
    startOf: ({ symbol, quoteTick }) => {
      const { sumUnitary, lastRate } = past.funding(symbol, genesisMs)
      const replayed = prices.kind === 'replayed' ? prices.priceAt(symbol, genesisMs) : null
      return {
        index: replayed ?? Number(past.index(symbol, genesisMs) / quoteTick),
        sumUnitary: Number(sumUnitary),
        lastRate: Number(lastRate),
      }
    },
  }
}

function specEntryOf(market: Parameters<typeof specOf>[0]) {
  return [market.symbol, specOf(market)] as const
}
