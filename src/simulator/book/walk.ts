import { amountAtRate } from '../base/units.ts'
import { notionalAt } from '../state/markets.ts'
import {
  type AccountFeeRates,
  BUY,
  type EngineLevel,
  type EngineOrder,
  type Ladder,
  leftQuantity,
  type MarketAccount,
  type SideSign,
} from '../state/state.ts'
import { isAtLimit, worseThan } from './ladder.ts'

/** An order that takes liquidity at `limit` or better. */
type Taker = Pick<EngineOrder, 'marketAccount' | 'side'> & { readonly limit: number }

/** The result of matching an order now, computed without changing the book. */
export type Walk = {
  /** The quantity that would stay unfilled. */
  left: number
  /** The immediate cost of the fills: taker fees, and the loss of prices worse than the mark. */
  cost: number
  meetsShown: boolean
  /**
   * Whether the order would meet orders of the same account. The venue cancels the met orders, because an account never
   * trades with itself.
   */
  meetsOwn: boolean
  /** Position changes in this walk so far, for accounts that have reduce-only orders. */
  drifts: Map<MarketAccount, number> | null
}

/** Matches up to `quantity` of an order at `limit` or better, by price and time, without changing the book. */
export function walkBook(taker: EngineOrder, quantity: number, limit: number): Walk {
  const result: Walk = {
    left: quantity,
    cost: 0,
    meetsShown: false,
    meetsOwn: false,
    drifts: null,
  }
  let level: EngineLevel | null = oppositeLadder(taker.marketAccount, taker.side).best
  while (level && result.left > 0 && isAtLimit(taker.side, limit, level.price)) {
    walkLevel(taker, level, result)
    level = worseThan(level)
  }
  return result
}

/** The side of the book that a taker meets. */
export function oppositeLadder({ market }: MarketAccount, side: SideSign): Ladder {
  return side === BUY ? market.book.asks : market.book.bids
}

/** How much of a fill takes the order's hidden part, which fills before the visible part. */
export function hiddenQuantity(order: EngineOrder, quantity: number): number {
  return Math.min(quantity, Math.max(0, leftQuantity(order) - order.visible))
}

/** The quantity that an order on this side can close, after the position has changed by `drift` in the same walk. */
export function reducibleQuantity({ quantity }: MarketAccount, side: SideSign, drift = 0): number {
  return Math.max(0, -side * (quantity + drift))
}

function walkLevel(taker: EngineOrder, level: EngineLevel, result: Walk): void {
  const { account } = taker.marketAccount
  for (let order = level.head; order && result.left > 0; order = order.next) {
    const { marketAccount } = order
    if (marketAccount.account === account) {
      result.meetsOwn = true
      continue
    }
    const quantity = Math.min(result.left, takeableQuantity(order, result.drifts))
    if (quantity === 0) continue
    count(taker, order, quantity, result)
    // Earlier fills of the same walk matter only for reduce-only orders.
    if (marketAccount.reducing) addDrift(result, marketAccount, order.side * quantity)
  }
}

function count(taker: EngineOrder, order: EngineOrder, quantity: number, result: Walk): void {
  const { market } = taker.marketAccount
  const hidden = hiddenQuantity(order, quantity)
  if (order.visible > 0) result.meetsShown = true
  result.left -= quantity
  const loss = notionalAt(market.spec, taker.side * (order.price - market.mark), quantity)
  if (loss > 0) result.cost += loss
  const feeRate = executionFeeRate(taker, false)
  for (const part of hidden === 0 ? [quantity] : [hidden, quantity - hidden])
    result.cost += amountAtRate(notionalAt(market.spec, order.price, part), feeRate)
}

/** The quantity of a resting order that can be taken after the earlier fills of the same walk. */
function takeableQuantity(order: EngineOrder, drifts: Walk['drifts']): number {
  const left = leftQuantity(order)
  if (!order.reduceOnly) return left
  return Math.min(
    left,
    reducibleQuantity(order.marketAccount, order.side, drifts?.get(order.marketAccount)),
  )
}

function addDrift(result: Walk, marketAccount: MarketAccount, change: number): void {
  result.drifts ??= new Map()
  result.drifts.set(marketAccount, (result.drifts.get(marketAccount) ?? 0) + change)
}

/**
 * The quantity that a value (ticks × steps) buys, or that yields the value when sold, from the best price to the limit.
 * If the book holds less, the rest is valued at the reference price.
 */
export function quantityForValue(taker: Taker, value: number, reference: number): number {
  let left = value
  let quantity = 0
  for (const order of reachable(taker)) {
    const offered = takeableQuantity(order, null)
    const taken = Math.min(offered, Math.floor(left / order.price))
    quantity += taken
    left -= taken * order.price
    if (taken < offered) return quantity
  }
  return quantity + Math.floor(left / reference)
}

/** The orders of other accounts that a taker may meet: best price first, oldest first at a price. */
function* reachable({ marketAccount, side, limit }: Taker) {
  let level: EngineLevel | null = oppositeLadder(marketAccount, side).best
  while (level && isAtLimit(side, limit, level.price)) {
    for (let order: EngineOrder | null = level.head; order; order = order.next)
      if (order.marketAccount.account !== marketAccount.account && leftQuantity(order) > 0)
        yield order
    level = worseThan(level)
  }
}

/**
 * The fee rate of an order as taker or maker, with eight decimals: the account's rate plus the rate of the order's tag.
 */
export function executionFeeRate({ marketAccount, enumRate }: FeePayer, isMaker: boolean): number {
  const { account, market } = marketAccount
  const { taker, maker }: AccountFeeRates = market.spec.isRwa ? account.rwaFees : account.fees
  return (isMaker ? maker : taker) + enumRate
}

/** The part of a fee that belongs to the owner of the order's tag; 0 if the order has no tag. */
export function enumFeeAmount(
  { enumRate }: Pick<EngineOrder, 'enumRate'>,
  notional: number,
): number {
  return enumRate === 0 ? 0 : amountAtRate(notional, enumRate)
}

type FeePayer = Pick<EngineOrder, 'marketAccount' | 'enumRate'>
