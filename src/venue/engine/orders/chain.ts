import type { Account, OpenOrders, Order } from '../state.ts'

export function noOpenOrders(): OpenOrders {
  return { oldest: null, newest: null, size: 0 }
}

/** Puts an order that rests behind all open ones of its account. */
export function joinOpen(order: Order): void {
  const { open } = order.exposure.account
  order.older = open.newest
  if (open.newest) open.newest.newer = order
  else open.oldest = order
  open.newest = order
  open.size += 1
}

/** Takes an order from its account's open ones, if it is among them: one that fills at once never was. */
export function leaveOpen(order: Order): void {
  const { open } = order.exposure.account
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

/** The open orders of an account, oldest first, as a list of their own: they may end while it is walked. */
export function openOf({ open }: Pick<Account, 'open'>): Order[] {
  const orders: Order[] = []
  for (let order = open.oldest; order; order = order.newer) orders.push(order)
  return orders
}

/** An open order of an account by its number. There are no more than the account may have. */
export function findOpen({ open }: Pick<Account, 'open'>, id: number): Order | undefined {
  for (let order = open.newest; order; order = order.older) if (order.id === id) return order
  return undefined
}
