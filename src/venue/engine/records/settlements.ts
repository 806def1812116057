import { createJournal, createRowTable, type Journal } from '../journal.ts'
import { append } from '../ring.ts'
import type { Market } from '../state.ts'

/** One settlement of a market: rates and USDC a unit with eight decimals. */
export type SettlementRow = {
  readonly atMs: number
  readonly rate: number
  readonly sumUnitary: number
}

/** Every market's settlements since genesis. */
export type SettlementJournal = Journal & {
  /** Oldest first. */
  readonly of: (market: Market) => readonly SettlementRow[]
}

/** Half a year of an hourly market. */
const ROWS_MAX = 4400

export function createSettlements(): SettlementJournal {
  const { rows, of } = createRowTable<SettlementRow[]>(() => [])
  const journal = createJournal('settlements', rows, {
    observer: {
      funded: ({ market, atMs, rate }) =>
        void append(of(market), { atMs, rate, sumUnitary: market.sumUnitary }, ROWS_MAX),
    },
  })
  return { ...journal, of }
}
