import type { Account } from '../state/state.ts'
import type { FundingRow } from './account-rows.ts'
import { createRowTable } from './journal.ts'
import { droppedCount, listName, type PastRows } from './past-rows.ts'
import { FUNDING_ROWS } from './row-kinds.ts'

/** A settlement of an account's funding rows: in which markets and margin mode, and when. */
type Settlement = {
  readonly markets: readonly number[]
  readonly isolated: boolean
  readonly atMs: number
}

/** A settlement of rows that are no longer in memory: those with a position in the history below `before`. */
type LateSettlement = Settlement & { readonly before: number }

/** Settles funding rows. Rows in memory are marked. For rows that have left memory, the settlement is stored. */
export function createFundingSettlements(past: PastRows) {
  const { rows, of } = createRowTable<LateSettlement[]>(() => [])
  return {
    rows,
    /** Settles the open rows of some markets, after a settlement or when an isolated position ends. */
    settle: (account: Account, latest: FundingRow[], settlement: Settlement) => {
      settleRows(latest, settlement)
      const before = past.moved(listName(FUNDING_ROWS, account))
      if (before === 0) return
      const known = of(account)
      while (known[0] && known[0].before <= droppedCount(before)) known.shift()
      known.push({ ...settlement, before })
    },
    /** Returns a function that adds to a row the settlement that happened after the row left memory. */
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
