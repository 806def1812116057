import type { Keeper } from '../keeper.ts'
import type { Market } from '../state.ts'

/** One settlement of a market: rates and USDC a unit with eight decimals. */
export type SettlementRow = {
  readonly atMs: number
  readonly rate: number
  readonly sumUnitary: number
}

/** Every market's settlements since genesis. */
export type SettlementKeeper = Keeper & {
  /** Oldest first. */
  readonly of: (market: Market) => readonly SettlementRow[]
}

/** Half a year of an hourly market. */
const KEPT_MAX = 4400

export function createSettlements(): SettlementKeeper {
  const rows = new Map<number, SettlementRow[]>()

  function of({ number }: Market): SettlementRow[] {
    const known = rows.get(number)
    if (known) return known
    const fresh: SettlementRow[] = []
    rows.set(number, fresh)
    return fresh
  }

  return {
    name: 'settlements',
    of,
    observer: {
      funded: ({ market, atMs, rate }) => {
        const settled = of(market)
        settled.push({ atMs, rate, sumUnitary: market.sumUnitary })
        if (settled.length > KEPT_MAX) settled.shift()
      },
    },
    save: () => [...rows],
    load: (_world, saved) => {
      // Only `save` above has written it; an older snapshot has none.
      for (const [market, settled] of (saved ?? []) as [number, SettlementRow[]][])
        rows.set(market, settled)
    },
  }
}
