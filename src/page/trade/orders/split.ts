import { onStep } from '../../../perp/amounts.ts'
import type { Level, Rule } from '../market/rows.ts'
import { checkOrder, type Problem, type Side } from './check.ts'

/** The venue takes so many orders in one call. */
export const SCALED_MAX = 10
/** A time-weighted order is sent in so many parts at most, with so long between two at least. */
export const SLICES_MAX = 100
export const SLICE_EVERY_MIN_MS = 5000

/** A size in so many parts on the step, as even as it goes; the first ones have what is over. */
export function parted(
  { step }: Pick<Rule, 'step'>,
  size: bigint,
  count: number,
): readonly bigint[] {
  if (step <= 0n || count < 1) return []
  const [parts, over] = [size / step / BigInt(count), (size / step) % BigInt(count)]
  return Array.from({ length: count }, (_, at) => (parts + (BigInt(at) < over ? 1n : 0n)) * step)
}

/** Limit orders of even size at even distances from one price to another, both included. */
export function scaled(
  rule: Pick<Rule, 'step' | 'tick'>,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  size: bigint,
  count: number,
): readonly Level[] {
  const gaps = BigInt(Math.max(1, count - 1))
  return parted(rule, size, count).map((part, at) => ({
    price: onStep(from + ((to - from) * BigInt(at)) / gaps, rule.tick, 'floor'),
    size: part,
  }))
}

/** What the venue would refuse of the first of some orders that it would refuse at all. */
export function splitProblem(
  rule: Rule,
  orders: readonly { readonly price: bigint | null; readonly size: bigint }[],
  { side, mark }: { readonly side: Side; readonly mark: bigint },
): Problem | null {
  for (const order of orders) {
    const candidate = { ...order, side, mark, reference: order.price ?? mark, isFullClose: false }
    const [problem] = checkOrder(rule, candidate)
    if (problem) return problem
  }
  return null
}
