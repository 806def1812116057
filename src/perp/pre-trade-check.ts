import { larger } from '../core/decimals.ts'
import { product } from './amounts.ts'
import { largestSize } from './largest-size.ts'
import { marketState, type OrderAccount, orderTerms } from './margin-account.ts'
import { isolatedRate, maxNotional, timesRate } from './margin-rates.ts'
import { marketMargin, withPending } from './market-state.ts'
import { checkOrder } from './order-check.ts'
import {
  closableBy,
  type MarketNow,
  matchOrder,
  type Order,
  type OrderMatch,
} from './order-match.ts'

/**
 * The condition that an order fails:
 * - `price`: the book has an allowed price.
 * - `position`: there is a position to reduce.
 * - `margin`: the collateral covers the order.
 * - `leverage`: the leverage is within its maximum.
 * - `fee`: the fee rate for the margin check is known.
 */
export type Shortfall = 'price' | 'position' | 'margin' | 'leverage' | 'fee'

/**
 * Predicts how the venue would treat the order now: the market rules it breaks, the account's shortfall, and the match
 * with the book. If `account` is null, margin and position are not checked.
 */
export function preTradeCheck(market: MarketNow, order: Order, account: OrderAccount | null) {
  const match = matchOrder(market, order, account)
  const { reference } = match
  // The venue checks the price that ASK and BID orders take from the book.
  const price = order.type === 'MARKET' ? null : reference
  const closable = account && closableBy(market, order, account)
  const { broken } = checkOrder(market, { ...order, price, reference: reference ?? 0n, closable })
  const isUnpriced = order.price === null && broken.some(({ field }) => field === 'price')
  const shortfall = isUnpriced ? 'price' : orderShortfall(market, order, match, account)
  return { broken, shortfall, match }
}

function orderShortfall(
  market: MarketNow,
  order: Order,
  match: OrderMatch,
  account: OrderAccount | null,
): Shortfall | null {
  if (match.reference === null) return 'price'
  if (!account) return null
  // The venue requires no margin for a reduce-only order.
  if (order.reduceOnly) return match.reach === 0n ? 'position' : null
  const { room, isOverNotional, isFeeKnown } = collateralLeft(market, order, match, account)
  if (room < 0n) return 'margin'
  if (isOverNotional) return 'leverage'
  return isFeeKnown ? null : 'fee'
}

/**
 * The collateral in USDC that stays free (`room`) while the venue checks an order. The whole order counts as open. Its
 * immediate fill costs the fee and the difference between fill price and mark price. Below zero, the order is refused.
 * An unknown fee is left out.
 */
function collateralLeft(
  market: MarketNow,
  order: Order,
  { reference, offered }: OrderMatch,
  account: OrderAccount,
) {
  const { side, quantity, mode } = order
  const price = reference ?? 0n
  const { now, set } = orderTerms(market.mark, price, account)
  const before = marketState(account, market.symbol, mode)
  const was = marketMargin(before, now)
  const then = marketMargin(withPending(before, side, { quantity, price }), set)
  const sign = side === 'BUY' ? 1n : -1n
  const cost = offered.parts.reduce((sum, part) => {
    const loss = product(part.quantity, sign * (part.price - set.mark))
    const fee = timesRate(product(part.quantity, part.price), account.takerFee ?? 0n)
    return sum + larger(0n, loss) + fee
  }, 0n)
  const max = maxNotional(set)
  const known = {
    isOverNotional: max !== null && then.notionalWithOrders > larger(was.notional, max),
    isFeeKnown: hasKnownFee(account, { offered }),
  }
  if (mode === 'CROSS')
    return { room: account.free - cost - (then.initial - was.initial), ...known }
  const free = account.free - cost - (then.frozen - was.frozen)
  const added = larger(0n, then.notionalWithOrders - was.notional)
  const margin = before.margin + was.pnl + timesRate(added, isolatedRate(set)) - cost
  const spare = margin - was.maintenance - product(added, set.baseMmr)
  // A new isolated position must not begin below its maintenance margin.
  return { room: cost > 0n && spare < 0n ? spare : free, ...known }
}

/** Whether the taker fee of an order is known or zero. Only an order that takes from the book pays this fee. */
export function hasKnownFee(
  { takerFee }: Pick<OrderAccount, 'takerFee'>,
  { offered }: Pick<OrderMatch, 'offered'>,
): boolean {
  return takerFee !== null || offered.quantity === 0n
}

/** The percentage of the free collateral that the largest order leaves unused, for price moves before it arrives. */
const RESERVE_PERCENT = 1n

/**
 * The largest quantity, up to the order's own, that margin and market rules certainly allow; zero if they allow no
 * quantity. Null if the order takes from the book and its fee is unknown.
 */
export function largestWithinMargin(
  market: MarketNow,
  order: Order,
  account: OrderAccount,
): bigint | null {
  const { reference, ...whole } = matchOrder(market, order, account)
  if (!hasKnownFee(account, whole)) return null
  const shape = { ...order, price: null, reference: reference ?? 0n, closable: null }
  return largestSize(market, shape, (quantity) => {
    const sized = { ...order, quantity }
    const match = matchOrder(market, sized, account)
    const { room, isOverNotional } = collateralLeft(market, sized, match, account)
    return !isOverNotional && room * 100n >= account.free * RESERVE_PERCENT
  })
}
