import { cancel, openOrderList } from '../../book/open-orders.ts'
import type { ExchangeState } from '../../state/exchange.ts'
import { plan } from '../../state/queue.ts'
import {
  type Account,
  type AlgoOrder,
  type EngineOrder,
  isOpen,
  type MarketAccount,
} from '../../state/state.ts'
import type { EngineWorld } from '../../state/world.ts'
import { disarm } from './mark.ts'

/** The root of the tree that an algo order belongs to. */
export function algoRoot(algo: AlgoOrder): AlgoOrder {
  return algo.parent ? algoRoot(algo.parent) : algo
}

/** An algo order and all parts below it. */
export function algoSubtree(algo: AlgoOrder): AlgoOrder[] {
  return [algo, ...algo.children.flatMap(algoSubtree)]
}

/** Whether an algo order consists only of legs. */
export function isGroup({ algoType }: Pick<AlgoOrder, 'algoType'>): boolean {
  return algoType === 'TP_SL' || algoType === 'POSITIONAL_TP_SL'
}

/** Whether an algo order is still open. */
export function isAlive({ status }: Pick<AlgoOrder, 'status'>): boolean {
  return status === 'NEW' || status === 'PARTIAL_FILLED'
}

/** Whether a part is waiting for the mark price to reach its trigger or its activation price. */
export function isAwaitingMark(part: AlgoOrder): boolean {
  const { algoType, triggeredAtMs, isActivated } = part
  const isReady = isActivated || algoType === 'TRAILING_STOP'
  return isAlive(part) && !isGroup(part) && triggeredAtMs === null && isReady
}

/** Whether neither the order nor any of its legs has been triggered. */
export function isUntriggered(algo: AlgoOrder): boolean {
  return algoSubtree(algo).every(({ triggeredAtMs }) => triggeredAtMs === null)
}

/** The executed quantity of all orders, ended and open, that an algo order has sent. */
export function algoExecutedQuantity({
  executed,
  order,
}: Pick<AlgoOrder, 'executed' | 'order'>): number {
  return executed + (order?.executed ?? 0)
}

/** The open algo orders of an account in one market and margin mode, ordered by id. */
export function marketAlgos(marketAccount: MarketAccount): AlgoOrder[] {
  return [...marketAccount.account.algos.values()]
    .filter((algo) => algo.marketAccount === marketAccount)
    .sort((a, b) => a.id - b.id)
}

/** Publishes the root of the tree that an algo order belongs to. */
export function publishAlgo({ observers }: ExchangeState, algo: AlgoOrder): void {
  const root = algoRoot(algo)
  for (const { algo: publish } of observers) publish?.(root)
}

/** Cancels an algo order or one leg of it, together with the parts below it and their orders in the book. */
export function cancelAlgo(exchange: ExchangeState, algo: AlgoOrder, atMs: number): void {
  for (const part of algoSubtree(algo)) {
    if (!isAlive(part)) continue
    const { order } = part
    if (order && isOpen(order)) cancel(exchange, order, atMs)
    if (order) addExecutions(part, order)
    endAlgo(part, 'CANCELLED', atMs)
  }
  closeRoot(exchange, algo, atMs)
}

/** Ends one part. The caller must then call `closeRoot`, which updates the other parts of the tree. */
export function endAlgo(algo: AlgoOrder, status: AlgoOrder['status'], atMs: number): void {
  algo.status = status
  algo.updatedAtMs = atMs
  disarm(algo)
}

/** Adds an ended order's executions to its algo order. */
export function addExecutions(algo: AlgoOrder, order: EngineOrder): void {
  algo.order = null
  algo.executed += order.executed
  algo.executedValue += order.executedValue
  algo.fee += order.fee
  algo.realizedPnl += order.realizedPnl
}

/**
 * Updates the groups above a changed part and publishes the root. A root that has ended is removed from the open algo
 * orders.
 */
export function closeRoot(exchange: ExchangeState, algo: AlgoOrder, atMs: number): void {
  const root = algoRoot(algo)
  for (const group of algoSubtree(root).filter(isGroup)) {
    const status = groupStatus(group.children)
    if (status === group.status) continue
    group.status = status
    group.updatedAtMs = atMs
  }
  const { algos } = root.marketAccount.account
  // The end of a root is published only once.
  if (algoSubtree(root).every((part) => !isAlive(part)) && !algos.delete(root.id)) return
  publishAlgo(exchange, root)
}

/** The status of a group, which follows from its legs. */
function groupStatus(legs: readonly AlgoOrder[]): AlgoOrder['status'] {
  if (legs.some(isAlive))
    return legs.some((leg) => algoExecutedQuantity(leg) > 0) ? 'PARTIAL_FILLED' : 'NEW'
  if (legs.some(({ status }) => status === 'FILLED')) return 'FILLED'
  return legs.every(({ status }) => status === 'REJECTED') ? 'REJECTED' : 'CANCELLED'
}

/** Sets when all open orders of an account are cancelled. Null disarms the timer. */
export function setCancelAllTimer(
  { queue }: EngineWorld,
  account: Account,
  atMs: number | null,
): void {
  account.cancelAtMs = atMs
  if (atMs !== null) plan(queue, atMs, 'cancelAll', account.number)
}

/** Cancels an account's open orders, unless the timer was changed after this event was planned. */
export function cancelAllDue({ exchange }: EngineWorld, account: Account, atMs: number): void {
  if (account.cancelAtMs !== atMs) return
  account.cancelAtMs = null
  for (const algo of [...account.algos.values()]) cancelAlgo(exchange, algo, atMs)
  for (const order of openOrderList(account)) cancel(exchange, order, atMs)
}
