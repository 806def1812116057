import type { Exchange } from '../exchange/state.ts'
import type { VenueRow } from '../wire/row.ts'
import { fundRows } from './vaults/fund.ts'
import { createHistories } from './vaults/history.ts'
import { infoRows } from './vaults/info.ts'
import { performanceRows } from './vaults/performance.ts'
import { requestRows } from './vaults/requests.ts'
import { stakeRows } from './vaults/stakes.ts'
import { totalRows } from './vaults/totals.ts'
import { tradingRows } from './vaults/trading.ts'

/** Every row about strategy vaults. */
export function vaultRows({ exchange }: { readonly exchange: Exchange }): readonly VenueRow[] {
  const { floor, accounts } = exchange
  const parts = { floor, accounts, histories: createHistories(floor) }
  return [
    ...infoRows(parts),
    ...totalRows(parts),
    ...performanceRows(parts),
    ...tradingRows(parts),
    ...stakeRows(parts),
    ...fundRows(parts),
    ...requestRows(parts),
  ]
}
