import type { Exact } from '../../common/exact-json.ts'
import { type Order, orderOf } from './rows.ts'

const KEPT_MAX = 200

const kept = new Map<string, Order>()
const waiting = new Set<() => void>()

/** Keeps what live messages say of orders. */
export function noteOrders(rows: readonly Exact[]): void {
  for (const order of rows.map(orderOf)) {
    kept.delete(order.id)
    kept.set(order.id, order)
  }
  for (const id of kept.keys()) if (kept.size > KEPT_MAX) kept.delete(id)
  for (const look of waiting) look()
}

/** What live messages have said of an order, once that is final; null if they do not say so in time. */
export function toldOrder(
  id: string,
  isFinal: (order: Order) => boolean,
  ms: number,
): Promise<Order | null> {
  return new Promise((resolve) => {
    const end = (order: Order | null) => {
      waiting.delete(look)
      clearTimeout(timer)
      resolve(order)
    }
    const look = () => {
      const order = kept.get(id)
      if (order && isFinal(order)) end(order)
    }
    const timer = setTimeout(() => end(null), ms)
    waiting.add(look)
    look()
  })
}
