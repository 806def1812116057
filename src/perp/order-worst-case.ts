import { larger, ONE } from '../core/decimals.ts'
import { product, productMicros } from './amounts.ts'
import type { MarginMode, Side } from './positions.ts'

/** An order that may open a position. A figure that the order does not name is null. */
export type OpeningOrder = {
  readonly symbol: string | null
  readonly clientOrderId: string | null
  /** The side of the order; null if unknown. An order of unknown side counts on both sides. */
  readonly side: Side | null
  /** The margin mode in the order; null if the order names no mode. */
  readonly mode: MarginMode | null
  /** The limit price of a BUY order that executes only at this price or below; otherwise null. */
  readonly buysUpTo: bigint | null
  /** The highest of all prices in the order (limit, trigger, activation); zero if the order has no price. */
  readonly highest: bigint
  readonly quantity: bigint | null
  readonly amount: bigint | null
  /** Whether the order may execute at any price, so that it has no known worst case. */
  readonly isBoundless: boolean
  /** Whether the order waits for the mark price, which may jump past the trigger. */
  readonly isWaiting: boolean
}

/** An order with no figures set. */
export const NO_FIGURES: OpeningOrder = {
  symbol: null,
  clientOrderId: null,
  side: null,
  mode: null,
  buysUpTo: null,
  highest: 0n,
  quantity: null,
  amount: null,
  isBoundless: false,
  isWaiting: false,
}

/** An order that may open a position, with all other details unknown. */
export const UNKNOWN_ORDER: OpeningOrder = { ...NO_FIGURES, isBoundless: true, isWaiting: true }

/**
 * The order that an edit describes. Side, mode and type stay those of the resting order, so they are unknown here. A
 * quantity or price that the edit leaves out is unknown too.
 */
export function toEditedOrder(order: OpeningOrder): OpeningOrder {
  const isBoundless = order.quantity === null || order.highest === 0n
  return { ...order, side: null, mode: null, buysUpTo: null, isBoundless }
}

/**
 * The mark price of a market, and the maximum distance between it and an execution price, as a fraction of the mark
 * price. Both have eighteen decimals.
 */
export type MarketBound = { readonly mark: bigint; readonly priceRange: bigint }

type BoundedMarket = { readonly mark: bigint | null; readonly priceRange: bigint | null }

/** The price bound of a market; null if its mark price or price range is unknown. */
export function toMarketBound({ mark, priceRange }: BoundedMarket): MarketBound | null {
  return mark === null || priceRange === null ? null : { mark, priceRange }
}

/** The largest value that an order can have when it executes, in micro-USDC; null if unknown. */
export function worstValue(order: OpeningOrder, bound: MarketBound | null): bigint | null {
  const { quantity, amount } = order
  const price = worstPrice(order, bound)
  if (price === null || (quantity === null && amount === null)) return null
  if (amount === null) return productMicros(quantity ?? 0n, price)
  if (!bound) return null
  // The venue decides whether quantity or amount counts, so the larger value is taken.
  return larger(productMicros(quantity ?? 0n, price), productMicros(amount, ONE + bound.priceRange))
}

/**
 * The price for an order's worst-case value; null if unknown.
 * - A BUY with a limit price and a quantity: the limit price.
 * - Any other order: the highest price at which the market lets an order execute, from the mark price or the order's
 * own prices.
 * - Any other waiting order: the highest price after a jump of the mark price by the market's price range.
 */
export function worstPrice(order: OpeningOrder, bound: MarketBound | null): bigint | null {
  const { buysUpTo, highest, amount, isBoundless, isWaiting } = order
  if (isBoundless) return null
  if (buysUpTo !== null && amount === null) return buysUpTo
  if (!bound) return null
  const reach = ONE + bound.priceRange
  const from = larger(highest, bound.mark)
  return product(isWaiting ? product(from, reach, 'ceil') : from, reach, 'ceil')
}

/** The worst-case value that an edit adds, in micro-USDC; zero if quantity and price do not rise; null if unknown. */
export function worstGrowth(
  before: OpeningOrder,
  after: OpeningOrder,
  bound: MarketBound | null,
): bigint | null {
  const isLarger = (after.quantity ?? 0n) > (before.quantity ?? 0n)
  if (!isLarger && after.highest <= before.highest) return 0n
  const [was, then] = [worstValue(before, bound), worstValue(after, bound)]
  return was === null || then === null ? null : larger(0n, then - was)
}
