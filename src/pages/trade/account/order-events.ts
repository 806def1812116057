import type { Exact } from '../../common/exact-json.ts'
import { type AccountOrder, OPEN_STATUSES, toAccountOrder } from './rows.ts'

const KEPT_MAX = 200

const kept = new Map<string, AccountOrder>()
const waiting = new Set<() => void>()

/** Remembers the orders in live messages. */
export function rememberOrders(rows: readonly Exact[]): void {
  for (const order of rows.map(toAccountOrder)) {
    kept.delete(order.id)
    kept.set(order.id, order)
  }
  for (const id of kept.keys()) if (kept.size > KEPT_MAX) kept.delete(id)
  for (const look of waiting) look()
}

/** After an order is reported open, waits this long for a message that it has ended. */
const SETTLED_MS = 300

/** Resolves with an order from live messages once it is final; null after `ms`. */
export function awaitOrder(
  id: string,
  isFinal: (order: AccountOrder) => boolean,
  ms: number,
): Promise<AccountOrder | null> {
  return new Promise((resolve) => {
    let settling: ReturnType<typeof setTimeout> | undefined
    const end = (order: AccountOrder | null) => {
      waiting.delete(look)
      clearTimeout(timer)
      clearTimeout(settling)
      resolve(order)
    }
    const look = () => {
      const order = kept.get(id)
      clearTimeout(settling)
      if (!order || !isFinal(order)) return
      if (OPEN_STATUSES.has(order.status)) settling = setTimeout(() => end(order), SETTLED_MS)
      else end(order)
    }
    const timer = setTimeout(() => end(null), ms)
    waiting.add(look)
    look()
  })
}
