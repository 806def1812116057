import { absolute, larger } from '../../../core/decimals.ts'
import { divided, times } from '../../../perp/amounts.ts'
import { type Exact, textOf } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'
import type { Position } from './rows.ts'

export type Summary = Readonly<NonNullable<ReturnType<typeof summaryOf>>>

/** Margin out of the positions, fees out of the account, leverage out of the market. */
export function summaryOf(positions: Exact, info: Exact, leverage: Exact) {
  if (positions === null) return null
  const value = (name: string) => near(textOf(positions, name))
  const fee = (name: string) => near(textOf(info, name)) / BASIS_POINTS
  return {
    collateral: value('total_collateral_value'),
    free: value('free_collateral'),
    /** Maintenance margin over collateral: the account is liquidated at one. */
    marginUsed: divided(value('maintenance_margin_ratio'), value('margin_ratio')),
    dayPnl: value('total_pnl_24_h'),
    /** Fees as fractions. */
    takerFee: fee('futures_taker_fee_rate'),
    makerFee: fee('futures_maker_fee_rate'),
    /** Leverage of the market that is shown; 0 when it is not known. */
    leverage: Number(textOf(leverage, 'leverage')) || Number(textOf(info, 'max_leverage')) || 0,
    /** Whether positions and orders need more margin than there is. */
    isShort: value('current_margin_ratio_with_orders') < value('initial_margin_ratio_with_orders'),
  }
}

const BASIS_POINTS = 10_000n

/**
 * The account's figures at the marks of now: what was read, moved by what its rows have won and needed since. `before`
 * are the rows that were read with the figures.
 */
export function summaryAtMarks(
  read: Summary,
  before: readonly Position[],
  now: readonly Position[],
): Summary {
  const [was, is] = [crossTotals(before), crossTotals(now)]
  const collateral = read.collateral + is.unsettled - was.unsettled
  // The venue shows no deficit, so that its size is what the rows need beyond the collateral.
  const free =
    read.free > 0n
      ? read.free - was.unsettled + is.unsettled - is.initial + was.initial
      : collateral - is.initial
  return {
    ...read,
    collateral,
    free: larger(0n, free),
    marginUsed: divided(is.maintenance, collateral),
    dayPnl: read.dayPnl + unsettledOf(now) - unsettledOf(before),
  }
}

/** The result, the initial margin with open orders and the maintenance margin of the cross rows. */
function crossTotals(rows: readonly Position[]) {
  const cross = rows.filter(({ isIsolated }) => !isIsolated)
  const sum = { unsettled: unsettledOf(cross), initial: 0n, maintenance: 0n }
  for (const { size, mark, pendingBuys, pendingSells, initialWithOrders, maintenance } of cross) {
    const most = larger(absolute(size + pendingBuys), absolute(size - pendingSells))
    sum.maintenance += times(times(absolute(size), mark), maintenance, 'ceil')
    sum.initial += times(times(most, mark), initialWithOrders, 'ceil')
  }
  return sum
}

function unsettledOf(rows: readonly Position[]): bigint {
  return rows.reduce((sum, { unsettled }) => sum + unsettled, 0n)
}
