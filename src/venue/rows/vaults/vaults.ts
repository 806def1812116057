import type { Exchange } from '../../exchange/state.ts'
import { IMPATIENT, type Patience } from '../../patience.ts'
import type { VenueRow } from '../../wire/row.ts'
import { fundRows } from './fund.ts'
import { createHistories } from './history.ts'
import { infoRows } from './info.ts'
import { performanceRows } from './performance.ts'
import { requestRows } from './requests.ts'
import { stakeRows } from './stakes.ts'
import { totalRows } from './totals.ts'
import { tradingRows } from './trading.ts'

/** Every row about strategy vaults. */
export function vaultRows({
  exchange,
  patience = IMPATIENT,
}: {
  readonly exchange: Exchange
  readonly patience?: Patience
}): readonly VenueRow[] {
  const { floor, accounts } = exchange
  const parts = { floor, accounts, histories: createHistories(floor, patience.make) }
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
