import { larger } from '../../../core/decimals.ts'
import { accountAfter } from '../../../perp/account-after.ts'
import { product, quotient } from '../../../perp/amounts.ts'
import type { Level } from '../../../perp/book.ts'
import type { OrderAccount } from '../../../perp/margin-account.ts'
import { timesRate } from '../../../perp/margin-rates.ts'
import {
  type MarketNow,
  type Order,
  type OrderMatch,
  restingQuantity,
  withRestFilled,
} from '../../../perp/order-match.ts'

/**
 * Average price and value of the quantity that would fill or rest; null if the quantity is zero. `figures` has the fee,
 * margin and liquidation price; null without an account.
 */
export function estimated(
  market: MarketNow,
  order: Order,
  match: OrderMatch,
  account: OrderAccount | null,
) {
  const rest = { price: match.reference ?? 0n, quantity: restingQuantity(order, match) }
  const traded = match.fill.quantity + rest.quantity
  if (traded === 0n) return null
  const value = match.fill.value + product(rest.price, rest.quantity)
  const figures = account && figuresAfter(market, order, match, account, rest)
  return { price: quotient(value, traded), value, figures }
}

function figuresAfter(
  market: MarketNow,
  order: Order,
  match: OrderMatch,
  account: OrderAccount,
  rest: Level,
) {
  const after = accountAfter(market, order, match, account)
  const whole = accountAfter(market, order, withRestFilled(order, match), account)
  const makerFee = rest.quantity === 0n ? 0n : account.makerFee
  const resting = product(rest.price, rest.quantity)
  return {
    /** Null while a fee rate is unknown. */
    fee: after.fee !== null && makerFee !== null ? after.fee + timesRate(resting, makerFee) : null,
    margin: larger(0n, after.needed),
    /**
     * The liquidation price after the whole order has filled; null if the position is never liquidated, undefined if
     * unknown.
     */
    liquidation: whole.fee === null ? undefined : whole.liquidation,
  }
}
