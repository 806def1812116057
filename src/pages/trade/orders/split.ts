import { roundedToStep } from '../../../perp/amounts.ts'
import type { MarketRules } from '../../../perp/market-rules.ts'
import { type CheckedMarket, checkOrder } from '../../../perp/order-check.ts'
import type { Side } from '../../../perp/positions.ts'
import { type Problem, toProblems } from './check.ts'

/** Maximum number of orders in one call to the venue. */
export const SCALED_MAX = 10
/** Maximum number of parts of a time-weighted order, and minimum time between two parts. */
export const SLICES_MAX = 100
export const SLICE_EVERY_MIN_MS = 5000

/** Splits a size into equal multiples of the tick; the first parts get the remainder. */
export function equalSizes(
  { baseTick: step }: Pick<MarketRules, 'baseTick'>,
  size: bigint,
  count: number,
): readonly bigint[] {
  if (step <= 0n || count < 1) return []
  const [parts, over] = [size / step / BigInt(count), (size / step) % BigInt(count)]
  return Array.from({ length: count }, (_, at) => (parts + (BigInt(at) < over ? 1n : 0n)) * step)
}

/** Splits an order into limit orders of equal size at equal distances between two prices, both included. */
export function scaled(
  rules: Pick<MarketRules, 'baseTick' | 'quoteTick'>,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  size: bigint,
  count: number,
): readonly SplitOrder[] {
  const gaps = BigInt(Math.max(1, count - 1))
  return equalSizes(rules, size, count).map((part, at) => ({
    price: roundedToStep(from + ((to - from) * BigInt(at)) / gaps, rules.quoteTick, 'floor'),
    size: part,
  }))
}

/** One order of a split order; a null price means at market. */
export type SplitOrder = { readonly price: bigint | null; readonly size: bigint }

/** The first market rule that one of these orders breaks; null if all pass. */
export function splitProblem(
  market: CheckedMarket,
  orders: readonly SplitOrder[],
  side: Side,
): Problem | null {
  for (const { price, size } of orders) {
    const order = {
      side,
      price,
      quantity: size,
      reference: price ?? market.mark ?? 0n,
      ...{ reduceOnly: false, closable: null },
    }
    const [problem] = toProblems(checkOrder(market, order).broken)
    if (problem) return problem
  }
  return null
}
