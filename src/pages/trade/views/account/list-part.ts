import {
  balancesReading,
  closedReading,
  fillsReading,
  fundingReading,
  historyReading,
} from '../../account/past.ts'
import { ListBar, SortedTable } from './list-tools.tsx'
import { BalanceRows, ClosedRows, FillRows, FundingRows, HistoryRows } from './past-lists.tsx'
import { LiquidationDistance, StopWarning } from './position-risk.tsx'

/** The tools of all lists of an account, and its lists of past events. */
export const LIST_PART = {
  tools: { SortedTable, ListBar, LiquidationDistance, StopWarning },
  lists: {
    history: { reading: historyReading, Rows: HistoryRows },
    closed: { reading: closedReading, Rows: ClosedRows },
    fills: { reading: fillsReading, Rows: FillRows },
    funding: { reading: fundingReading, Rows: FundingRows },
    balances: { reading: balancesReading, Rows: BalanceRows },
  },
} as const
