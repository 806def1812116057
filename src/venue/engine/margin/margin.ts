import { worthOf } from '../markets.ts'
import type { Account, Exposure } from '../state.ts'
import { AMOUNT_MAX, mulDiv, ONE, shareOf } from '../units.ts'
import { initialRate, maintenanceRate } from './rates.ts'

/** An account's cross margin at the marks of now, with its open orders. Micro-USDC. */
export type Margin = {
  /** What backs the cross positions: balance, tokens and unsettled results, less what isolated orders hold back. */
  readonly collateral: number
  readonly notional: number
  readonly initialWithOrders: number
  readonly maintenance: number
}

/** The part of a notional that an isolated position takes on top of its margin, for the fee. */
const ISOLATED_FEE_RATE = (6 * ONE) / 10_000

/** Sums an account's markets; those whose mark and contents stand still are not computed again. */
export function marginOf(account: Account): Margin {
  let collateral = account.holding + account.tokenWorth
  let notional = 0
  let initialWithOrders = 0
  let maintenance = 0
  for (const exposure of account.used) {
    if (exposure.stamp !== exposure.market.stamp) refresh(exposure)
    collateral -= exposure.frozen
    if (exposure.isolated) continue
    collateral += exposure.pnl
    notional += exposure.notional
    initialWithOrders += exposure.initialWithOrders
    maintenance += exposure.maintenance
  }
  return { collateral, notional, initialWithOrders, maintenance }
}

/** What could be spent: collateral less the initial margin of positions and orders; never below zero. */
export function freeCollateralOf({ collateral, initialWithOrders }: Margin): number {
  return Math.max(0, collateral - initialWithOrders)
}

/** What an isolated position is worth to its owner: its margin and its result. */
export function isolatedEquity({ margin, pnl }: Exposure): number {
  return margin + pnl
}

/** The quantity that counts for initial margin: the larger of what either side's orders could make of the position. */
export function quantityWithOrders({ quantity, buys, sells }: Exposure): number {
  return Math.max(Math.abs(quantity + buys), Math.abs(quantity - sells))
}

/** Computes what an exposure keeps of its margin at the mark of now. */
export function refresh(exposure: Exposure): void {
  const { market, quantity, leverage } = exposure
  const { spec, mark } = market
  const notional = worthOf(spec, mark, Math.abs(quantity))
  const withOrders = worthOf(spec, mark, quantityWithOrders(exposure))
  exposure.stamp = market.stamp
  exposure.notional = notional
  exposure.notionalWithOrders = withOrders
  exposure.pnl = worthOf(spec, mark, quantity) - exposure.cost
  exposure.maintenance = notional === 0 ? 0 : shareOf(notional, maintenanceRate(spec, notional))
  exposure.frozen = exposure.isolated ? frozenOf(exposure) : 0
  exposure.initialWithOrders =
    withOrders === 0 ? 0 : shareOf(withOrders, initialRate(spec, leverage, withOrders))
}

/** What a quantity opened at a price takes from the balance into an isolated position. */
export function isolatedMargin(exposure: Exposure, notional: number): number {
  return shareOf(notional, isolatedRate(exposure))
}

function isolatedRate({ leverage }: Exposure): number {
  return Math.floor(ONE / leverage) + ISOLATED_FEE_RATE
}

/** The margin of what the larger side of the orders could add to the position, at those orders' own prices. */
function frozenOf(exposure: Exposure): number {
  const { quantity, buys, sells, buyValue, sellValue } = exposure
  const long = growthOf(buys, Math.max(0, -quantity), buyValue)
  const short = growthOf(sells, Math.max(0, quantity), sellValue)
  return isolatedMargin(exposure, Math.max(long, short) * exposure.market.spec.unit)
}

/** The value of the part of some orders that goes beyond what they close. */
function growthOf(ordered: number, closing: number, value: number): number {
  if (ordered <= closing) return 0
  return Math.min(mulDiv(value, ordered - closing, ordered, 'ceil'), AMOUNT_MAX)
}
