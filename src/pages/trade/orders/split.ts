import { onStep } from '../../../perp/amounts.ts'
import type { MarketRules } from '../../../perp/market-rules.ts'
import { type CheckedMarket, checkOrder } from '../../../perp/order-check.ts'
import type { Side } from '../../../perp/positions.ts'
import { type Problem, toProblems } from './check.ts'

/** Maximum number of orders in one call to the venue. */
export const SCALED_MAX = 10
/** Maximum number of parts of a time-weighted order, and minimum time between two of them. */
export const SLICES_MAX = 100
export const SLICE_EVERY_MIN_MS = 5000

/** A size in equal parts on the step; the first parts have the remainder. */
export function parted(
  { baseTick: step }: Pick<MarketRules, 'baseTick'>,
  size: bigint,
  count: number,
): readonly bigint[] {
  if (step <= 0n || count < 1) return []
  const [parts, over] = [size / step / BigInt(count), (size / step) % BigInt(count)]
  return Array.from({ length: count }, (_, at) => (parts + (BigInt(at) < over ? 1n : 0n)) * step)
}

/** Limit orders of equal size at equal distances between two prices, both included. */
export function scaled(
  rules: Pick<MarketRules, 'baseTick' | 'quoteTick'>,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  size: bigint,
  count: number,
): readonly SplitOrder[] {
  const gaps = BigInt(Math.max(1, count - 1))
  return parted(rules, size, count).map((part, at) => ({
    price: onStep(from + ((to - from) * BigInt(at)) / gaps, rules.quoteTick, 'floor'),
    size: part,
  }))
}

/** One of several orders; without a price, at the market. */
export type SplitOrder = { readonly price: bigint | null; readonly size: bigint }

/** The first rule of the venue that one of these orders breaks; null if all of them pass. */
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
      closes: null,
    }
    const [problem] = toProblems(checkOrder(market, order).broken)
    if (problem) return problem
  }
  return null
}
