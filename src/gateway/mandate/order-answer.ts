import { isObject } from '../../core/json.ts'
import { isAcceptedOrder, orderIdOf } from '../../core/order-fills.ts'
import type { OpeningOrder } from './worst-case.ts'

/**
 * The venue's ids of the orders of a write, in their order, from its answer; null for an order whose id is not known for
 * certain. `none` where the answer says that its only order was refused.
 */
export function acceptedOrders(
  orders: readonly OpeningOrder[],
  answer: unknown,
): readonly (string | null)[] | 'none' {
  if (!isObject(answer)) return []
  const [only, ...others] = orders
  if (Array.isArray(answer['rows'])) return idsByName(orders, answer['rows'])
  if (!only || others.length > 0) return []
  return isAcceptedOrder(answer) ? [orderIdOf(answer)] : 'none'
}

/** Rows of a batch count where each carries the id that its order was given, since their order is not promised. */
function idsByName(
  orders: readonly OpeningOrder[],
  rows: readonly unknown[],
): readonly (string | null)[] {
  return orders.map(({ clientOrderId }) => {
    const named = rows.filter((row) => isObject(row) && row['client_order_id'] === clientOrderId)
    const [row, ...others] = named
    return clientOrderId !== null && others.length === 0 && isObject(row) ? orderIdOf(row) : null
  })
}
