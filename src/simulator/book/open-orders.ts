import type { ExchangeState } from '../state/exchange.ts'
import {
  type Account,
  BUY,
  type EngineOrder,
  leftQuantity,
  type MarketAccount,
} from '../state/state.ts'
import { removeFromBook } from './ladder.ts'
import { reducibleQuantity } from './walk.ts'

/** Adds a resting order to the open orders of its account. */
export function addOpenOrder(order: EngineOrder): void {
  const { open } = order.marketAccount.account
  order.older = open.newest
  if (open.newest) open.newest.newer = order
  else open.oldest = order
  open.newest = order
  open.size += 1
}

/** Removes an order from its account's open orders. An order that filled at once was never added. */
function leaveOpen(order: EngineOrder): void {
  const { open } = order.marketAccount.account
  const { older, newer } = order
  if (!older && open.oldest !== order) return
  if (older) older.newer = newer
  else open.oldest = newer
  if (newer) newer.older = older
  else open.newest = older
  order.older = null
  order.newer = null
  open.size -= 1
}

/**
 * A copy of an account's open orders, oldest first. Callers loop over the copy, because orders may end during the loop.
 */
export function openOrderList({ open }: Pick<Account, 'open'>): EngineOrder[] {
  const orders: EngineOrder[] = []
  for (let order = open.oldest; order; order = order.newer) orders.push(order)
  return orders
}

/** An open order of an account by its id. The search is bounded by the maximum number of open orders. */
export function findOpen({ open }: Pick<Account, 'open'>, id: number): EngineOrder | undefined {
  for (let order = open.newest; order; order = order.older) if (order.id === id) return order
  return undefined
}

/** Registers an accepted order. After matching, the order joins the open orders unless it has ended. */
export function beginOrder(exchange: ExchangeState, order: EngineOrder): void {
  const { marketAccount } = order
  const { account } = marketAccount
  if (order.clientOrderId !== null) account.clientIds.set(order.clientOrderId, order)
  marketAccount.orders += 1
  if (order.reduceOnly) {
    marketAccount.reducing ??= new Set()
    marketAccount.reducing.add(order)
  }
  publishOrder(exchange, order)
}

/** Ends an order: removes it from the book and from the open orders, and publishes it. */
export function endOrder(
  exchange: ExchangeState,
  order: EngineOrder,
  status: 'FILLED' | 'CANCELLED',
  atMs: number,
): void {
  const { marketAccount } = order
  const { account } = marketAccount
  removeFromBook(order)
  changePending(order, -leftQuantity(order))
  order.status = status
  order.updatedAtMs = atMs
  leaveOpen(order)
  if (order.clientOrderId !== null) account.clientIds.delete(order.clientOrderId)
  marketAccount.orders -= 1
  if (order.reduceOnly) marketAccount.reducing?.delete(order)
  if (account.algos.size > 0) exchange.changed.add(marketAccount)
  publishOrder(exchange, order)
}

export function cancel(exchange: ExchangeState, order: EngineOrder, atMs: number): void {
  endOrder(exchange, order, 'CANCELLED', atMs)
}

/**
 * Changes the pending quantity and value of an order's account. Reduce-only orders are left out, because they cannot
 * grow a position.
 */
export function changePending(
  { marketAccount, side, reduceOnly, valued }: EngineOrder,
  quantity: number,
): void {
  marketAccount.stamp = -1
  if (reduceOnly) return
  if (side === BUY) {
    marketAccount.buys += quantity
    marketAccount.buyValue += quantity * valued
  } else {
    marketAccount.sells += quantity
    marketAccount.sellValue += quantity * valued
  }
}

/** Publishes the state of an order. */
export function publishOrder({ observers }: ExchangeState, order: EngineOrder): void {
  for (const { ordered } of observers) ordered?.(order)
}

/** Cancels the reduce-only orders that have nothing left to reduce. */
export function cancelIdle(
  exchange: ExchangeState,
  marketAccount: MarketAccount,
  atMs: number,
): void {
  if (!marketAccount.reducing) return
  for (const order of marketAccount.reducing)
    if (reducibleQuantity(marketAccount, order.side) === 0) cancel(exchange, order, atMs)
}
