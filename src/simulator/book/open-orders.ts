import type { Exchange } from '../state/exchange.ts'
import { type Account, BUY, leftOf, type MarketAccount, type Order } from '../state/state.ts'
import { unrest } from './ladder.ts'
import { reducible } from './walk.ts'

/** Adds a resting order to the open orders of its account. */
export function joinOpen(order: Order): void {
  const { open } = order.marketAccount.account
  order.older = open.newest
  if (open.newest) open.newest.newer = order
  else open.oldest = order
  open.newest = order
  open.size += 1
}

/** Removes an order from its account's open orders; an order that fills at once was never added. */
function leaveOpen(order: Order): void {
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

/** A copy of an account's open orders, oldest first, because orders may end during the loop. */
export function openOf({ open }: Pick<Account, 'open'>): Order[] {
  const orders: Order[] = []
  for (let order = open.oldest; order; order = order.newer) orders.push(order)
  return orders
}

/** An open order of an account by its number, found by a search of limited length. */
export function findOpen({ open }: Pick<Account, 'open'>, id: number): Order | undefined {
  for (let order = open.newest; order; order = order.older) if (order.id === id) return order
  return undefined
}

/** Counts an accepted order, which joins the open orders after matching, unless it has ended. */
export function begin(exchange: Exchange, order: Order): void {
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

/** Ends an order: it leaves the book and the open orders. */
export function end(
  exchange: Exchange,
  order: Order,
  status: 'FILLED' | 'CANCELLED',
  atMs: number,
): void {
  const { marketAccount } = order
  const { account } = marketAccount
  unrest(order)
  pend(order, -leftOf(order))
  order.status = status
  order.updatedAtMs = atMs
  leaveOpen(order)
  if (order.clientOrderId !== null) account.clientIds.delete(order.clientOrderId)
  marketAccount.orders -= 1
  if (order.reduceOnly) marketAccount.reducing?.delete(order)
  if (account.algos.size > 0) exchange.changed.add(marketAccount)
  publishOrder(exchange, order)
}

export function cancel(exchange: Exchange, order: Order, atMs: number): void {
  end(exchange, order, 'CANCELLED', atMs)
}

/**
 * Changes the pending sums of an order's account. Reduce-only orders are left out, because they cannot grow a
 * position.
 */
export function pend({ marketAccount, side, reduceOnly, valued }: Order, quantity: number): void {
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
export function publishOrder({ observers }: Exchange, order: Order): void {
  for (const { ordered } of observers) ordered?.(order)
}

/** Cancels reduce-only orders that have nothing left to reduce. */
export function cancelIdle(exchange: Exchange, marketAccount: MarketAccount, atMs: number): void {
  if (!marketAccount.reducing) return
  for (const order of marketAccount.reducing)
    if (reducible(marketAccount, order.side) === 0) cancel(exchange, order, atMs)
}
