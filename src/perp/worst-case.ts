import { larger, mulDiv, ONE, PER_MICRO } from '../core/decimals.ts'
import type { MarginMode, Side } from './positions.ts'

/** An order that may open a position. An absent figure is null. */
export type OpeningOrder = {
  readonly symbol: string | null
  readonly clientOrderId: string | null
  /** Null: not known, so that the order counts on both sides. */
  readonly side: Side | null
  /** The margin mode that it names; null: it names no mode. */
  readonly mode: MarginMode | null
  /** The highest price it can have when it only buys at that price or below. */
  readonly buysUpTo: bigint | null
  /** The highest of all prices that it names. */
  readonly highest: bigint
  readonly quantity: bigint | null
  readonly amount: bigint | null
  /** Whether it may wait for any price, so that no worst case is known. */
  readonly isBoundless: boolean
  /** Whether it waits for the mark price, which may jump over its trigger. */
  readonly isWaiting: boolean
}

/** An order without any figure. */
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

/** An order of which nothing is known but that it may open a position. */
export const UNKNOWN_ORDER: OpeningOrder = { ...NO_FIGURES, isBoundless: true, isWaiting: true }

/**
 * An order as an edit names it. The order that rests has the side and type that it was placed with, whatever the edit says
 * of them. A figure that the edit leaves out stays as it is, and is not known here.
 */
export function asEdit(order: OpeningOrder): OpeningOrder {
  const isBoundless = order.quantity === null || order.highest === 0n
  return { ...order, side: null, mode: null, buysUpTo: null, isBoundless }
}

/** The mark price of a market, and how far from it an order may execute, a fraction. Eighteen decimals. */
export type MarketBound = { readonly mark: bigint; readonly priceRange: bigint }

/** The same with the sizes that the market takes: a multiple of its step, not below its smallest size and value. */
export type SizedBound = MarketBound & {
  readonly step: bigint
  readonly sizeMin: bigint
  readonly valueMin: bigint
}

type BoundedMarket = { readonly mark: bigint | null; readonly priceRange: bigint | null }

/** The bound of a market; null without a mark price or a price range. */
export function toMarketBound({ mark, priceRange }: BoundedMarket): MarketBound | null {
  return mark === null || priceRange === null ? null : { mark, priceRange }
}

/**
 * The most that an order can be worth when it executes, in micro-USDC, at its worst price. Null where it is not known.
 */
export function worstValue(order: OpeningOrder, bound: MarketBound | null): bigint | null {
  const { quantity, amount } = order
  const price = worstPrice(order, bound)
  if (price === null || (quantity === null && amount === null)) return null
  if (amount === null) return productMicros(quantity ?? 0n, price)
  if (!bound) return null
  // The venue decides which of both counts.
  return larger(productMicros(quantity ?? 0n, price), productMicros(amount, ONE + bound.priceRange))
}

/**
 * The price that an order counts at; null if unknown.
 * - a purchase by quantity with a limit: its own limit
 * - any other order: the highest price that its market lets orders execute at, from the mark or its own prices
 * - any other waiting order: the same after the mark has jumped by the market's range
 */
export function worstPrice(order: OpeningOrder, bound: MarketBound | null): bigint | null {
  const { buysUpTo, highest, amount, isBoundless, isWaiting } = order
  if (isBoundless) return null
  if (buysUpTo !== null && amount === null) return buysUpTo
  if (!bound) return null
  const reach = ONE + bound.priceRange
  const from = larger(highest, bound.mark)
  return mulDiv(isWaiting ? mulDiv(from, reach, ONE, 'ceil') : from, reach, ONE, 'ceil')
}

/**
 * The value that an edit adds to an order at its worst case, in micro-USDC: zero where neither quantity nor price rises.
 * Null where it is not known.
 */
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

/** The largest quantity whose value at a price is at most this many micro-USDC. */
export function quantityWithin(micros: bigint, price: bigint): bigint {
  return mulDiv(micros * PER_MICRO, ONE, price, 'floor')
}

/** The product of two figures, in millionths and rounded up. */
function productMicros(one: bigint, other: bigint): bigint {
  return mulDiv(one, other, ONE * PER_MICRO, 'ceil')
}
