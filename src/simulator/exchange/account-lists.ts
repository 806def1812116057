import { ALGO_ROWS } from '../history/algos.ts'
import {
  ASSET_ROWS,
  CLOSED_ROWS,
  FUNDING_ROWS,
  LIQUIDATION_ROWS,
  ORDER_ROWS,
  SETTLEMENT_ROWS,
  TRADE_ROWS,
  TRANSFER_ROWS,
} from '../history/row-kinds.ts'
import type { Account } from '../state/state.ts'
import type { Simulation } from './simulation.ts'

/** The histories of an account, of which each is opened when it is read. */
export type AccountLists = ReturnType<typeof accountLists>

export function accountLists(
  { lists, records, algos, ledgers }: Pick<Simulation, 'lists' | 'records' | 'algos' | 'ledgers'>,
  account: Account,
) {
  const { list } = lists
  const own = () => records.of(account)
  const ledger = () => ledgers.of(account)
  return {
    /** Orders that have ended. */
    orders: () => list(ORDER_ROWS, { account, rows: own().orders }),
    /** Algo orders that have ended. */
    algos: () => list(ALGO_ROWS, { account, rows: algos.of(account) }),
    trades: () => list(TRADE_ROWS, { account, rows: own().trades }),
    fundings: () =>
      list(FUNDING_ROWS, { account, rows: own().fundings }, records.settledFunding(account)),
    /** Positions that have ended. */
    closed: () => list(CLOSED_ROWS, { account, rows: own().closed }),
    /** Its liquidations, and those of others that it was deleveraged for. */
    liquidations: () => list(LIQUIDATION_ROWS, { account, rows: records.ownLiquidations(account) }),
    assets: () => list(ASSET_ROWS, { account, rows: ledger().assets }),
    transfers: () => list(TRANSFER_ROWS, { account, rows: ledger().transfers }),
    settlements: () => list(SETTLEMENT_ROWS, { account, rows: ledger().settlements }),
  } as const
}
