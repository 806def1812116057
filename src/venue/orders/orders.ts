import { findOpen, openOf } from '../engine/orders/chain.ts'
import { Rejection } from '../engine/rejections.ts'
import type { Order } from '../engine/state.ts'
import type { Seat } from '../exchange/seat.ts'
import { refusal } from '../wire/refusals.ts'
import { refused } from './outcomes.ts'
import type { WireOrder } from './request.ts'

/** Places an order and answers it as it stands afterwards. Throws what it is refused with. */
export function placeOrder({ engine, account }: Seat, order: WireOrder, nowMs: number): Order {
  const placing = { ...order, account: account.number, market: order.market.number }
  const outcome = engine.submit('place', placing, nowMs)
  if (outcome instanceof Rejection) throw refused(outcome)
  return outcome
}

/** Cancels an open order of the account. Throws -1006 when there is none such. */
export function cancelOrder(
  seat: Seat,
  { orderId, symbol }: { readonly orderId: number; readonly symbol: string },
  nowMs: number,
): void {
  const order = findOpen(seat.account, orderId)
  if (order?.exposure.market.spec.symbol !== symbol) throw refusal('notFound')
  cancel(seat, order, nowMs)
}

/** Cancels every open order of the account that is chosen. */
export function cancelOrders(seat: Seat, isChosen: (order: Order) => boolean, nowMs: number): void {
  for (const order of openOf(seat.account)) if (isChosen(order)) cancel(seat, order, nowMs)
}

function cancel({ engine, account }: Seat, order: Order, nowMs: number): void {
  engine.submit('cancel', { account: account.number, order: order.id }, nowMs)
}
