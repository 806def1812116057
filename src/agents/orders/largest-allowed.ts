import type { Row } from '../../core/json.ts'
import { amountNumber, toAmount, toMicros } from '../../perp/amounts.ts'
import { largestWithinValue } from '../../perp/largest-size.ts'
import { toMarketBound, worstPrice } from '../../perp/order-worst-case.ts'
import { withMeta } from '../refusal.ts'
import { ToolFailure } from '../tool.ts'
import type { Counting } from './prepare.ts'

/** The next step if limits refuse an order but allow a smaller size. */
export const LARGEST_ALLOWED_STEP =
  'largest_order_quantity is the most that the limits take now: send that only if the user says so.'

/**
 * For an order that a value limit refused: the order's worst price, and its largest size within all limits. The size is
 * zero if the market allows no such size. Null if the refusal has no `fits_usdc`.
 */
export function largestAllowed({ market, order, counted }: Counting, refused: Row) {
  const fits = toAmount(refused['fits_usdc'])
  if (fits === null) return null
  const price = worstPrice(order, toMarketBound(market))
  const quantity = largestWithinValue(market, order, toMicros(fits), counted)
  return {
    ...(price !== null && { worst_price: amountNumber(price) }),
    largest_order_quantity: amountNumber(quantity),
  }
}

/** Adds the largest allowed size to the failure of an order that a value limit refused. Returns other errors unchanged. */
export function withLargestAllowed(error: unknown, counting: Counting): unknown {
  const largest = error instanceof ToolFailure && largestAllowed(counting, error.meta)
  if (!largest) return error
  const isAny = largest.largest_order_quantity > 0
  return withMeta(error, {
    ...largest,
    ...(isAny && { next: `${error.meta['next']} ${LARGEST_ALLOWED_STEP}` }),
  })
}
