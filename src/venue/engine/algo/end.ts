import type { Exchange } from '../exchange.ts'
import { cancel } from '../orders/open.ts'
import { type AlgoOrder, isOpen, type Order } from '../state.ts'
import { disarm } from './mark.ts'
import { executedOf, isAlive, isGroup, partsOf, rootOf, tellAlgo } from './tree.ts'

/** Cancels an algo order or a leg of one, with all below it and what it has in the book. */
export function cancelAlgo(exchange: Exchange, algo: AlgoOrder, atMs: number): void {
  for (const part of partsOf(algo)) {
    if (!isAlive(part)) continue
    const { order } = part
    if (order && isOpen(order)) cancel(exchange, order, atMs)
    if (order) absorb(part, order)
    end(part, 'CANCELLED', atMs)
  }
  closeRoot(exchange, algo, atMs)
}

/** Ends one part; what becomes of the whole is looked at by `closeRoot`. */
export function end(algo: AlgoOrder, status: AlgoOrder['status'], atMs: number): void {
  algo.status = status
  algo.updatedAtMs = atMs
  disarm(algo)
}

/** Counts an order that has ended as the algo order's. */
export function absorb(algo: AlgoOrder, order: Order): void {
  algo.order = null
  algo.executed += order.executed
  algo.executedValue += order.executedValue
  algo.fee += order.fee
  algo.realizedPnl += order.realizedPnl
}

/** Draws for the whole what has happened to a part, and tells of it. A root that is over is no longer open. */
export function closeRoot(exchange: Exchange, algo: AlgoOrder, atMs: number): void {
  const root = rootOf(algo)
  for (const group of partsOf(root).filter(isGroup)) {
    const status = statusOf(group.children)
    if (status === group.status) continue
    group.status = status
    group.updatedAtMs = atMs
  }
  const { algos } = root.exposure.account
  // Whoever was told of its end is not told again.
  if (partsOf(root).every((part) => !isAlive(part)) && !algos.delete(root.id)) return
  tellAlgo(exchange, root)
}

/** How a group stands by its legs. */
function statusOf(legs: readonly AlgoOrder[]): AlgoOrder['status'] {
  if (legs.some(isAlive)) return legs.some((leg) => executedOf(leg) > 0) ? 'PARTIAL_FILLED' : 'NEW'
  if (legs.some(({ status }) => status === 'FILLED')) return 'FILLED'
  return legs.every(({ status }) => status === 'REJECTED') ? 'REJECTED' : 'CANCELLED'
}
