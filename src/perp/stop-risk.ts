import { larger } from '../core/decimals.ts'
import { accountAfter } from './account-after.ts'
import { amountNumber, divided, onStep, times } from './amounts.ts'
import { timesRate } from './margin-rates.ts'
import type { OrderAccount } from './order-account.ts'
import { filledWhole, type MarketNow, matchOrder, type Order } from './order-match.ts'
import { largestOnStep } from './pre-trade-check.ts'

/** An account whose fee rate of taking is known. */
type PricedAccount = OrderAccount & { readonly takerFee: bigint }

/**
 * The loss in USDC of the part that an order opens when it closes at the price of its stop. It is the difference of the
 * prices, plus the taker's fee of both fills. The part that the book does not offer now counts at the order's worst
 * price.
 */
export function lossAtStop(
  market: MarketNow,
  order: Order,
  stop: bigint,
  account: PricedAccount,
): bigint {
  const { offered, limit, reference } = matchOrder(market, order, account)
  const rest = order.quantity - offered.quantity
  const opened = offered.value + times(rest, limit ?? reference ?? 0n)
  const closed = times(order.quantity, stop)
  const difference = order.side === 'BUY' ? opened - closed : closed - opened
  return difference + timesRate(opened + closed, account.takerFee)
}

/**
 * The largest quantity, on the step of the market, that loses at most an amount of USDC at a stop. Zero if the stop is
 * on the wrong side of the order's price, or if the smallest step loses more.
 */
export function quantityAtRisk(
  market: MarketNow,
  order: Omit<Order, 'quantity'>,
  { stop, risk }: { readonly stop: bigint; readonly risk: bigint },
  account: PricedAccount,
): bigint {
  const first = matchOrder(market, { ...order, quantity: market.baseTick }, account)
  // The best price at which it opens: a limit may be beyond what the book offers.
  const price = first.offered.worst ?? first.reference ?? 0n
  const gap = order.side === 'BUY' ? price - stop : stop - price
  if (gap <= 0n) return 0n
  const most = onStep(divided(risk, gap, 'ceil'), market.baseTick, 'ceil')
  return largestOnStep(market.baseTick, most, (quantity) => {
    return lossAtStop(market, { ...order, quantity }, stop, account) <= risk
  })
}

/**
 * The mark price at which the position that an order leaves is liquidated, once the order has filled completely. Null
 * without such a price, or if the order leaves no position of its side.
 */
export function liquidationOnceFilled(
  market: MarketNow,
  order: Order,
  account: OrderAccount,
): bigint | null {
  const match = filledWhole(order, matchOrder(market, order, account))
  const { state, liquidation } = accountAfter(market, order, match, account)
  return state.quantity > 0n === (order.side === 'BUY') ? liquidation : null
}

/** Prices of a day as the candle of a market has them. */
export type DayRange = { readonly open: number; readonly high: number; readonly low: number }

/** The mean move of a day, from its lowest to its highest price as a fraction of its first; null without any day. */
export function dailyMove(days: readonly DayRange[]): number | null {
  const moves = days
    .filter(({ open }) => open > 0)
    .map(({ open, high, low }) => (high - low) / open)
  if (moves.length === 0) return null
  return moves.reduce((sum, move) => sum + move, 0) / moves.length
}

/** How many such moves lie between a mark price and another price; null where either is not known. */
export function movesBetween(
  mark: bigint | null,
  price: bigint | null,
  move: number | null,
): number | null {
  if (mark === null || price === null || !move) return null
  const distance = amountNumber(divided(larger(mark - price, price - mark), mark))
  return distance / move
}
