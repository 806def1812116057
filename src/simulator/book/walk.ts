import { shareOf } from '../base/units.ts'
import { notionalOf } from '../state/markets.ts'
import {
  BUY,
  type FeeRates,
  type Ladder,
  type Level,
  leftOf,
  type MarketAccount,
  type Order,
  type Side,
} from '../state/state.ts'
import { reaches, worseThan } from './ladder.ts'

/** A taker: buys or sells at `limit` or better. */
type Taker = Pick<Order, 'marketAccount' | 'side'> & { readonly limit: number }

/** The result of matching a taker now, without changes. */
export type Walk = {
  /** The unfilled quantity. */
  left: number
  /** The immediate cost of the fills: taker fees, and prices worse than the mark. */
  cost: number
  meetsShown: boolean
  /** Whether it meets own orders, which are cancelled because an account never trades with itself. */
  meetsOwn: boolean
  /** The changes of positions whose owners have reduce-only orders. */
  drifts: Map<MarketAccount, number> | null
}

/** Matches up to `quantity` of an order at `limit` or better by price and time, without changes. */
export function walk(taker: Order, quantity: number, limit: number): Walk {
  const result: Walk = {
    left: quantity,
    cost: 0,
    meetsShown: false,
    meetsOwn: false,
    drifts: null,
  }
  let level: Level | null = opposite(taker.marketAccount, taker.side).best
  while (level && result.left > 0 && reaches(taker.side, limit, level.price)) {
    walkLevel(taker, level, result)
    level = worseThan(level)
  }
  return result
}

/** The side of the book that a taker meets. */
export function opposite({ market }: MarketAccount, side: Side): Ladder {
  return side === BUY ? market.book.asks : market.book.bids
}

/** The hidden part of an order, which is filled before the visible part. */
export function hiddenOf(order: Order, quantity: number): number {
  return Math.min(quantity, Math.max(0, leftOf(order) - order.visible))
}

/** The quantity that an order on this side can close, after earlier fills of the same walk. */
export function reducible({ quantity }: MarketAccount, side: Side, drift = 0): number {
  return Math.max(0, -side * (quantity + drift))
}

function walkLevel(taker: Order, level: Level, result: Walk): void {
  const { account } = taker.marketAccount
  for (let order = level.head; order && result.left > 0; order = order.next) {
    const { marketAccount } = order
    if (marketAccount.account === account) {
      result.meetsOwn = true
      continue
    }
    const quantity = Math.min(result.left, availableOf(order, result.drifts))
    if (quantity === 0) continue
    count(taker, order, quantity, result)
    // Only reduce-only orders depend on earlier fills of the same walk.
    if (marketAccount.reducing) drift(result, marketAccount, order.side * quantity)
  }
}

function count(taker: Order, order: Order, quantity: number, result: Walk): void {
  const { market } = taker.marketAccount
  const hidden = hiddenOf(order, quantity)
  if (order.visible > 0) result.meetsShown = true
  result.left -= quantity
  const loss = notionalOf(market.spec, taker.side * (order.price - market.mark), quantity)
  if (loss > 0) result.cost += loss
  const feeRate = feeRateOf(taker, false)
  for (const part of hidden === 0 ? [quantity] : [hidden, quantity - hidden])
    result.cost += shareOf(notionalOf(market.spec, order.price, part), feeRate)
}

/** The quantity of a resting order that can be taken, after earlier fills of the same walk. */
function availableOf(order: Order, drifts: Walk['drifts']): number {
  const left = leftOf(order)
  if (!order.reduceOnly) return left
  return Math.min(
    left,
    reducible(order.marketAccount, order.side, drifts?.get(order.marketAccount)),
  )
}

function drift(result: Walk, marketAccount: MarketAccount, change: number): void {
  result.drifts ??= new Map()
  result.drifts.set(marketAccount, (result.drifts.get(marketAccount) ?? 0) + change)
}

/**
 * The quantity that a value (ticks × steps) buys, or that earns this value when sold, from the best price to the
 * limit. The part beyond the book is valued at the reference price.
 */
export function quantityFor(taker: Taker, value: number, reference: number): number {
  let left = value
  let quantity = 0
  for (const order of reachable(taker)) {
    const offered = availableOf(order, null)
    const taken = Math.min(offered, Math.floor(left / order.price))
    quantity += taken
    left -= taken * order.price
    if (taken < offered) return quantity
  }
  return quantity + Math.floor(left / reference)
}

/** The orders of others that a taker may meet, best and oldest first. */
function* reachable({ marketAccount, side, limit }: Taker) {
  let level: Level | null = opposite(marketAccount, side).best
  while (level && reaches(side, limit, level.price)) {
    for (let order: Order | null = level.head; order; order = order.next)
      if (order.marketAccount.account !== marketAccount.account && leftOf(order) > 0) yield order
    level = worseThan(level)
  }
}

/**
 * The fee rate of an order's execution as taker or maker, eight decimals: the account's rate plus the rate of the
 * order's tag.
 */
export function feeRateOf({ marketAccount, enumRate }: FeePayer, isMaker: boolean): number {
  const { account, market } = marketAccount
  const { taker, maker }: FeeRates = market.spec.isRwa ? account.rwaFees : account.fees
  return (isMaker ? maker : taker) + enumRate
}

/** The part of an execution's fee for the owner of the order's tag; zero without a tag. */
export function enumFeeOf({ enumRate }: Pick<Order, 'enumRate'>, notional: number): number {
  return enumRate === 0 ? 0 : shareOf(notional, enumRate)
}

type FeePayer = Pick<Order, 'marketAccount' | 'enumRate'>
