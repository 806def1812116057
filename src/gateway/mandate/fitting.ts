import { larger, mulDiv, ONE, SCALE, toNumber, usdcNumber } from '../../core/decimals.ts'
import type { FailureMeta } from '../../core/failure.ts'
import { type Excess, type PlannedOrder, roomFor } from '../../perp/limits.ts'
import {
  type OpeningOrder,
  quantityWithin,
  type SizedBound,
  worstPrice,
} from '../../perp/order-worst-case.ts'

/** An order of a write, its market if known, and its worst case. */
export type AskedOrder = {
  readonly order: OpeningOrder
  readonly planned: PlannedOrder
  readonly bound: SizedBound | null
}

const VALUE_REASONS: ReadonlySet<Excess['reason']> = new Set([
  'order_value',
  'daily_value',
  'position',
  'leverage',
])

/**
 * The largest value at which the order of a refused write would pass all limits. For an order by quantity, also the
 * price at which it is valued, and the largest quantity (0 if no size passes). Empty for several orders, and for
 * refusals that do not depend on the value.
 */
export function largestFitting(
  { reason }: Excess,
  [only, ...others]: readonly AskedOrder[],
  check: Parameters<typeof roomFor>[1],
): FailureMeta {
  if (!only || others.length > 0 || !VALUE_REASONS.has(reason)) return {}
  const { order, planned, bound } = only
  const room = roomFor(planned, check)
  const fits = { fitsUsdc: usdcNumber(room) }
  const price = worstPrice(order, bound)
  if (!price || !bound || order.amount !== null) return fits
  const quantity = acceptedSize(order, bound, quantityWithin(room, price))
  return {
    ...fits,
    worstPrice: toNumber(price, SCALE),
    largestOrderQuantity: toNumber(quantity, SCALE),
  }
}

/** The largest size up to `quantity` that the market accepts; 0 if every such size is too small. */
function acceptedSize({ highest }: OpeningOrder, bound: SizedBound, quantity: bigint): bigint {
  const { mark, step, sizeMin, valueMin } = bound
  const size = quantity - (quantity % step)
  const value = mulDiv(size, highest || mark, ONE, 'floor')
  return size < larger(sizeMin, step) || value < valueMin ? 0n : size
}
