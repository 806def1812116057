import type { Row } from '../../core/json.ts'
import { amountNumber, toAmount, toMicros } from '../../perp/amounts.ts'
import { withMeta } from '../refusal.ts'
import { ToolFailure } from '../tool.ts'
import { type Counting, largestSize } from './prepare.ts'

/** The next step where some size of a refused order goes. */
export const ASK_FIRST =
  'largest_order_quantity is the most that the limits take now: send that only if the user says so.'

/**
 * The price that a refused order counts at towards the limits, and the largest size of it that would break none, zero where
 * its market takes none; null where no limit of value refused it.
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

/** The failure of an order that a limit of value refused with the largest size that would break none; any other as it is. */
export function withLargestAllowed(error: unknown, counting: Counting): unknown {
  const largest = error instanceof ToolFailure && largestAllowed(counting, error.meta)
  if (!largest) return error
  const isAny = largest.largest_order_quantity > 0
  return withMeta(error, {
    ...largest,
    ...(isAny && { next: `${error.meta['next']} ${ASK_FIRST}` }),
  })
}
