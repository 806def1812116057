import type { Row } from '../../core/json.ts'
import { amountNumber, toAmount, toMicros } from '../../perp/amounts.ts'
import { withMeta } from '../refusal.ts'
import { ToolFailure } from '../tool.ts'
import { type Counting, largestSize } from './prepare.ts'

/** The next step when a smaller size of a refused order is allowed. */
export const ASK_FIRST =
  'largest_order_quantity is the most that the limits take now: send that only if the user says so.'

/**
 * The price at which a refused order counts towards the limits, and its largest size within all limits, which is zero
 * if the market takes no such size. Null for a refusal without `fits_usdc`.
 */
export function largestAllowed({ market, order, price, counted }: Counting, refused: Row) {
  const fits = toAmount(refused['fits_usdc'])
  if (fits === null) return null
  const maxMicros = toMicros(fits)
  const quantity = largestSize(market, order, (size) => {
    const micros = counted(size)
    return micros !== null && micros <= maxMicros
  })
  return {
    ...(price !== null && { worst_price: amountNumber(price) }),
    largest_order_quantity: amountNumber(quantity),
  }
}

/**
 * Adds the largest size within all limits to the failure of an order that a limit of value refused. Other errors are
 * returned as they are.
 */
export function withLargestAllowed(error: unknown, counting: Counting): unknown {
  const largest = error instanceof ToolFailure && largestAllowed(counting, error.meta)
  if (!largest) return error
  const isAny = largest.largest_order_quantity > 0
  return withMeta(error, {
    ...largest,
    ...(isAny && { next: `${error.meta['next']} ${ASK_FIRST}` }),
  })
}
