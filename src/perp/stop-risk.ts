import { accountAfter } from './account-after.ts'
import { product, quotient, roundedToStep } from './amounts.ts'
import { largestOnStep } from './largest-size.ts'
import type { OrderAccount } from './margin-account.ts'
import { timesRate } from './margin-rates.ts'
import { type MarketNow, matchOrder, type Order, withRestFilled } from './order-match.ts'

/** An account with a known taker fee rate. */
type PricedAccount = OrderAccount & { readonly takerFee: bigint }

/**
 * The loss in USDC if the position that an order opens is closed at its stop price: the price difference plus the taker
 * fees of both fills. Quantity beyond the present book counts at the order's worst price.
 */
export function lossAtStop(
  market: MarketNow,
  order: Order,
  stop: bigint,
  account: PricedAccount,
): bigint {
  const { offered, limit, reference } = matchOrder(market, order, account)
  const rest = order.quantity - offered.quantity
  const opened = offered.value + product(rest, limit ?? reference ?? 0n)
  const closed = product(order.quantity, stop)
  const difference = order.side === 'BUY' ? opened - closed : closed - opened
  return difference + timesRate(opened + closed, account.takerFee)
}

/**
 * The largest quantity, a multiple of the market's tick, that loses at most `risk` USDC at the stop. Zero if the stop
 * is on the wrong side of the order's price, or if one tick loses more.
 */
export function quantityAtRisk(
  market: MarketNow,
  order: Omit<Order, 'quantity'>,
  { stop, risk }: { readonly stop: bigint; readonly risk: bigint },
  account: PricedAccount,
): bigint {
  const first = matchOrder(market, { ...order, quantity: market.baseTick }, account)
  // The price at which the order opens. It may be better than the order's limit.
  const price = first.offered.worst ?? first.reference ?? 0n
  const gap = order.side === 'BUY' ? price - stop : stop - price
  if (gap <= 0n) return 0n
  const most = roundedToStep(quotient(risk, gap, 'ceil'), market.baseTick, 'ceil')
  return largestOnStep(market.baseTick, most, (quantity) => {
    return lossAtStop(market, { ...order, quantity }, stop, account) <= risk
  })
}

/**
 * The liquidation price of the position after the order has filled completely. Null if there is no such price, if the
 * resulting position is on the other side, or if the fee of the fill is unknown.
 */
export function liquidationOnceFilled(
  market: MarketNow,
  order: Order,
  account: OrderAccount,
): bigint | null {
  const match = withRestFilled(order, matchOrder(market, order, account))
  const { fee, state, liquidation } = accountAfter(market, order, match, account)
  const isOpened = state.quantity > 0n === (order.side === 'BUY')
  return fee !== null && isOpened ? liquidation : null
}
