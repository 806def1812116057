import { cancel, openOf } from '../../book/open-orders.ts'
import type { Exchange } from '../../state/exchange.ts'
import { plan } from '../../state/queue.ts'
import {
  type Account,
  type AlgoOrder,
  isOpen,
  type MarketAccount,
  type Order,
} from '../../state/state.ts'
import type { World } from '../../state/world.ts'
import { disarm } from './mark.ts'

/** The order that a leg belongs to, at the top. */
export function rootOf(algo: AlgoOrder): AlgoOrder {
  return algo.parent ? rootOf(algo.parent) : algo
}

/** An algo order and everything below it. */
export function partsOf(algo: AlgoOrder): AlgoOrder[] {
  return [algo, ...algo.children.flatMap(partsOf)]
}

/** Whether it has legs in place of an order of its own. */
export function isGroup({ algoType }: Pick<AlgoOrder, 'algoType'>): boolean {
  return algoType === 'TP_SL' || algoType === 'POSITIONAL_TP_SL'
}

/** Whether something may still come of it. */
export function isAlive({ status }: Pick<AlgoOrder, 'status'>): boolean {
  return status === 'NEW' || status === 'PARTIAL_FILLED'
}

/** Whether neither it nor a leg of it has met its trigger. */
export function isUntriggered(algo: AlgoOrder): boolean {
  return partsOf(algo).every(({ triggeredAtMs }) => triggeredAtMs === null)
}

/** What its orders have executed so far, ended and open ones. */
export function executedOf({ executed, order }: Pick<AlgoOrder, 'executed' | 'order'>): number {
  return executed + (order?.executed ?? 0)
}

/** The open algo orders of an account in a market, in the order of their ids. */
export function algosOf(marketAccount: MarketAccount): AlgoOrder[] {
  return [...marketAccount.account.algos.values()]
    .filter((algo) => algo.marketAccount === marketAccount)
    .sort((a, b) => a.id - b.id)
}

/** Publishes the root of an algo order. */
export function publishAlgo({ observers }: Exchange, algo: AlgoOrder): void {
  const root = rootOf(algo)
  for (const { algo: publish } of observers) publish?.(root)
}

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

/** Updates the groups of a part that has changed, and publishes the root. A root that is over is no longer open. */
export function closeRoot(exchange: Exchange, algo: AlgoOrder, atMs: number): void {
  const root = rootOf(algo)
  for (const group of partsOf(root).filter(isGroup)) {
    const status = statusOf(group.children)
    if (status === group.status) continue
    group.status = status
    group.updatedAtMs = atMs
  }
  const { algos } = root.marketAccount.account
  // The end of a root is published once.
  if (partsOf(root).every((part) => !isAlive(part)) && !algos.delete(root.id)) return
  publishAlgo(exchange, root)
}

/** How a group stands by its legs. */
function statusOf(legs: readonly AlgoOrder[]): AlgoOrder['status'] {
  if (legs.some(isAlive)) return legs.some((leg) => executedOf(leg) > 0) ? 'PARTIAL_FILLED' : 'NEW'
  if (legs.some(({ status }) => status === 'FILLED')) return 'FILLED'
  return legs.every(({ status }) => status === 'REJECTED') ? 'REJECTED' : 'CANCELLED'
}

/** Lets all open orders of an account end at a time, unless it says another or none before. */
export function setDeadMan({ queue }: World, account: Account, atMs: number | null): void {
  account.cancelAtMs = atMs
  if (atMs !== null) plan(queue, atMs, 'cancelAll', account.number)
}

/** The time has come, if it still is that one. */
export function cancelAllDue({ exchange }: World, account: Account, atMs: number): void {
  if (account.cancelAtMs !== atMs) return
  account.cancelAtMs = null
  for (const algo of [...account.algos.values()]) cancelAlgo(exchange, algo, atMs)
  for (const order of openOf(account)) cancel(exchange, order, atMs)
}
