import { larger, mulDiv, ONE, SCALE, toNumber, usdcNumber } from '../../core/decimals.ts'
import type { FailureMeta } from '../../core/failure.ts'
import { type Excess, type PlannedOrder, roomFor } from '../../perp/limits.ts'
import {
  type OpeningOrder,
  quantityWithin,
  type SizedBound,
  worstPrice,
} from '../../perp/worst-case.ts'

/** An order of a write with its market, where that is known, and its worst case. */
export type AskedOrder = {
  readonly order: OpeningOrder
  readonly planned: PlannedOrder
  readonly bound: SizedBound | null
}

const OF_VALUE: ReadonlySet<Excess['reason']> = new Set([
  'order_value',
  'daily_value',
  'position',
  'leverage',
])

/**
 * What would go of the only order of a write that a limit of value refuses: the largest value within all limits and, for
 * one with a quantity alone, the price that it counts at and the largest quantity, 0 for none.
 */
export function fittingOf(
  { reason }: Excess,
  [only, ...others]: readonly AskedOrder[],
  check: Parameters<typeof roomFor>[1],
): FailureMeta {
  if (!only || others.length > 0 || !OF_VALUE.has(reason)) return {}
  const { order, planned, bound } = only
  const room = roomFor(planned, check)
  const fits = { fitsUsdc: usdcNumber(room) }
  const price = worstPrice(order, bound)
  if (!price || !bound || order.amount !== null) return fits
  const quantity = sizeWithin(order, bound, quantityWithin(room, price))
  return {
    ...fits,
    worstPrice: toNumber(price, SCALE),
    largestOrderQuantity: toNumber(quantity, SCALE),
  }
}

/** The largest size up to a quantity that the market takes; zero where it takes none. */
function sizeWithin({ highest }: OpeningOrder, bound: SizedBound, quantity: bigint): bigint {
  const { mark, step, sizeMin, valueMin } = bound
  const size = quantity - (quantity % step)
  const value = mulDiv(size, highest || mark, ONE, 'floor')
  return size < larger(sizeMin, step) || value < valueMin ? 0n : size
}
