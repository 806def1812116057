import { AMOUNT_MAX, amountAtRate, RATE_ONE, safeMulDiv } from '../base/units.ts'
import { initialMarginRate, maintenanceMarginRate } from '../state/margin-rates.ts'
import { notionalAt } from '../state/markets.ts'
import type { Account, MarketAccount } from '../state/state.ts'

/** An account's cross margin at current mark prices, including open orders. Micro-USDC. */
export type Margin = {
  /** Collateral of the cross positions: balance, tokens and unsettled results, minus the reserve of isolated orders. */
  readonly collateral: number
  readonly notional: number
  readonly initialWithOrders: number
  readonly maintenance: number
}

/** Rate of the notional that an isolated order reserves for fees, in addition to its margin. */
const ISOLATED_FEE_RATE = (6 * RATE_ONE) / 10_000

/** Sums the figures of the account's markets. Markets without changes are not computed again. */
export function accountMargin(account: Account): Margin {
  let collateral = account.holding + account.tokenValue
  let notional = 0
  let initialWithOrders = 0
  let maintenance = 0
  for (const marketAccount of account.used) {
    if (marketAccount.stamp !== marketAccount.market.stamp) refresh(marketAccount)
    collateral -= marketAccount.frozen
    if (marketAccount.isolated) continue
    collateral += marketAccount.pnl
    notional += marketAccount.notional
    initialWithOrders += marketAccount.initialWithOrders
    maintenance += marketAccount.maintenance
  }
  return { collateral, notional, initialWithOrders, maintenance }
}

/** Free collateral: collateral minus the initial margin of positions and orders; at least 0. */
export function freeCollateralAmount({ collateral, initialWithOrders }: Margin): number {
  return Math.max(0, collateral - initialWithOrders)
}

/** The equity of an isolated position: its margin plus its result. */
export function isolatedEquity({ margin, pnl }: MarketAccount): number {
  return margin + pnl
}

/**
 * The quantity that needs initial margin: the size of the largest position that filling all buys or all sells can lead
 * to.
 */
export function marginQuantity({ quantity, buys, sells }: MarketAccount): number {
  return Math.max(Math.abs(quantity + buys), Math.abs(quantity - sells))
}

/** Computes a market account's cached margin figures at the current mark price. */
export function refresh(marketAccount: MarketAccount): void {
  const { market, quantity, leverage } = marketAccount
  const { spec, mark } = market
  const notional = notionalAt(spec, mark, Math.abs(quantity))
  const withOrders = notionalAt(spec, mark, marginQuantity(marketAccount))
  marketAccount.stamp = market.stamp
  marketAccount.notional = notional
  marketAccount.notionalWithOrders = withOrders
  marketAccount.pnl = notionalAt(spec, mark, quantity) - marketAccount.cost
  marketAccount.maintenance =
    notional === 0 ? 0 : amountAtRate(notional, maintenanceMarginRate(spec, notional))
  marketAccount.frozen = marketAccount.isolated ? frozenMargin(marketAccount) : 0
  marketAccount.initialWithOrders =
    withOrders === 0 ? 0 : amountAtRate(withOrders, initialMarginRate(spec, leverage, withOrders))
}

/** The balance that moves into an isolated position when an order opens a notional. */
export function isolatedMargin(marketAccount: MarketAccount, notional: number): number {
  return amountAtRate(notional, isolatedRate(marketAccount))
}

function isolatedRate({ leverage }: MarketAccount): number {
  return Math.floor(RATE_ONE / leverage) + ISOLATED_FEE_RATE
}

/** The margin that the orders of the larger side could add to the position, at the orders' own prices. */
function frozenMargin(marketAccount: MarketAccount): number {
  const { quantity, buys, sells, buyValue, sellValue } = marketAccount
  const long = openingValue(buys, Math.max(0, -quantity), buyValue)
  const short = openingValue(sells, Math.max(0, quantity), sellValue)
  return isolatedMargin(marketAccount, Math.max(long, short) * marketAccount.market.spec.unit)
}

/** The value of the part of the ordered quantity that exceeds the closing quantity. */
function openingValue(ordered: number, closing: number, value: number): number {
  if (ordered <= closing) return 0
  return Math.min(safeMulDiv(value, ordered - closing, ordered, 'ceil'), AMOUNT_MAX)
}
