import type { Account } from '../state/state.ts'
import type { FundingRow } from './account-rows.ts'
import { createRowTable } from './journal.ts'
import { droppedCount, listName, type PastRows } from './past-rows.ts'
import { FUNDING_ROWS } from './row-kinds.ts'

/** Which of an account's funding rows are settled, and when. */
type Settlement = {
  readonly markets: readonly number[]
  readonly isolated: boolean
  readonly atMs: number
}

/** A settlement of rows that had left memory, whose ordinals are lower. */
type LateSettlement = Settlement & { readonly before: number }

/** The settlements of funding rows. Rows in memory are marked; for rows that left memory the settlement is stored. */
export function createFundingSettlements(past: PastRows) {
  const { rows, of } = createRowTable<LateSettlement[]>(() => [])
  return {
    rows,
    /** Marks the open rows of some markets, after a settlement or the end of an isolated position. */
    settle: (account: Account, latest: FundingRow[], settlement: Settlement) => {
      settleRows(latest, settlement)
      const before = past.moved(listName(FUNDING_ROWS, account))
      if (before === 0) return
      const known = of(account)
      while (known[0] && known[0].before <= droppedCount(before)) known.shift()
      known.push({ ...settlement, before })
    },
    /** A row that left memory, with the settlement that came after it. */
    settled: (account: Account) => {
      const late = of(account)
      return (row: FundingRow, ordinal: number) => settledBy(late, row, ordinal)
    },
  }
}

function settleRows(rows: FundingRow[], { markets, isolated, atMs }: Settlement): void {
  for (const [at, row] of rows.entries())
    if (markets.includes(row.market) && row.isolated === isolated && row.settledAtMs === undefined)
      rows[at] = { ...row, settledAtMs: atMs }
}

function settledBy(
  settlements: readonly LateSettlement[],
  row: FundingRow,
  ordinal: number,
): FundingRow {
  if (row.settledAtMs !== undefined) return row
  const settlement = settlements.find(
    ({ markets, isolated, before }) =>
      ordinal < before && isolated === row.isolated && markets.includes(row.market),
  )
  return settlement ? { ...row, settledAtMs: settlement.atMs } : row
}
