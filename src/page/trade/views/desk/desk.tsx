import {
  balancesReading,
  fillsReading,
  fundingReading,
  historyReading,
} from '../../account/past.ts'
import { type ListName, ordersReading, positionsReading } from '../../account/state.ts'
import { placeOrder, setLeverage } from '../../orders/commands.ts'
import { AccountPanel } from './account-panel.tsx'
import { BalanceRows } from './balances.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { OrderRows } from './orders.tsx'
import { FillRows, FundingRows, HistoryRows } from './past.tsx'
import { PositionRows } from './positions.tsx'

/** What needs an open account. */
export const DESK = {
  placeOrder,
  setLeverage,
  AccountPanel,
  ConfirmDialog,
  /** Each list of an account: what it is read from, and its rows. */
  lists: {
    positions: { reading: positionsReading, Rows: PositionRows },
    orders: { reading: ordersReading, Rows: OrderRows },
    history: { reading: historyReading, Rows: HistoryRows },
    fills: { reading: fillsReading, Rows: FillRows },
    funding: { reading: fundingReading, Rows: FundingRows },
    balances: { reading: balancesReading, Rows: BalanceRows },
  } satisfies Record<ListName, object>,
} as const
