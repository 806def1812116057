import { unrest } from '../book/ladder.ts'
import type { Exchange } from '../exchange.ts'
import { BUY, leftOf, type Order } from '../state.ts'
import { leaveOpen } from './chain.ts'

/** Counts an order that was accepted; it joins its account's open ones when it has met the book and is not over. */
export function begin(exchange: Exchange, order: Order): void {
  const { exposure } = order
  const { account } = exposure
  if (order.clientOrderId !== null) account.clientIds.set(order.clientOrderId, order)
  exposure.orders += 1
  if (order.reduceOnly) {
    exposure.reducing ??= new Set()
    exposure.reducing.add(order)
  }
  tell(exchange, order)
}

/** Ends an order: it leaves the book and the open orders. */
export function end(
  exchange: Exchange,
  order: Order,
  status: 'FILLED' | 'CANCELLED',
  atMs: number,
): void {
  const { exposure } = order
  const { account } = exposure
  unrest(order)
  pend(order, -leftOf(order))
  order.status = status
  order.updatedAtMs = atMs
  leaveOpen(order)
  if (order.clientOrderId !== null) account.clientIds.delete(order.clientOrderId)
  exposure.orders -= 1
  if (order.reduceOnly) exposure.reducing?.delete(order)
  if (account.algos.size > 0) exchange.stirred.add(exposure)
  tell(exchange, order)
}

export function cancel(exchange: Exchange, order: Order, atMs: number): void {
  end(exchange, order, 'CANCELLED', atMs)
}

/** Changes what an order adds to its account's pending quantities; reduce-only orders cannot grow a position. */
export function pend({ exposure, side, reduceOnly, valued }: Order, quantity: number): void {
  exposure.stamp = -1
  if (reduceOnly) return
  if (side === BUY) {
    exposure.buys += quantity
    exposure.buyValue += quantity * valued
  } else {
    exposure.sells += quantity
    exposure.sellValue += quantity * valued
  }
}

/** Tells the observers how an order stands now. */
export function tell({ observers }: Exchange, order: Order): void {
  for (const { ordered } of observers) ordered?.(order)
}
