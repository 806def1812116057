import { exactNumber, mulDiv, SCALE } from './decimals.ts'
import { isObject, type Row } from './json.ts'
import type { Fill } from './spending.ts'

/** The divisor from price × quantity, two figures of 18 decimals, to micro-USDC. */
const VALUE_TO_MICROS_DIVISOR = 10n ** 30n

const ENDED_STATUSES: ReadonlySet<unknown> = new Set([
  'FILLED',
  'CANCELLED',
  'REJECTED',
  'COMPLETED',
  'EXPIRED',
])

/** Whether an order with this status can execute nothing more. */
export function hasEnded(status: unknown): boolean {
  return ENDED_STATUSES.has(status)
}

/** The filled values of ended orders, from the venue's answer about one or several. */
export function endedOrderFills(answer: unknown): readonly Fill[] {
  if (!isObject(answer)) return []
  const rows = Array.isArray(answer['rows']) ? answer['rows'] : [answer]
  return rows.filter(isObject).flatMap((row) => endedOrderFill(row) ?? [])
}

/** The fill of an ended order; null while the order is open, or if a figure is missing. */
function endedOrderFill(row: Row): Fill | null {
  const orderId = rowOrderId(row)
  const executed = exactNumber(row['total_executed_quantity'], SCALE)
  if (orderId === null || executed === null || !hasEnded(row['status'])) return null
  if (executed === 0n) return { orderId, micros: 0n }
  const price = exactNumber(row['average_executed_price'], SCALE)
  return price === null
    ? null
    : { orderId, micros: mulDiv(executed, price, VALUE_TO_MICROS_DIVISOR, 'ceil') }
}

/** The venue's id of an order. */
export function rowOrderId({ order_id: id }: Row): string | null {
  return Number.isSafeInteger(id) && Number(id) > 0 ? String(id) : null
}

/** Whether a successful answer also reports an accepted order. */
export function isAcceptedOrder({ error_message: message }: Row): boolean {
  return typeof message !== 'string' || message === '' || message === 'none'
}
