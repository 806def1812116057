import { isObject, type Row, rowsAt } from '../core/json.ts'
import { hasEnded } from '../core/order-fills.ts'
import { amountText } from './amounts.ts'
import { toOpenOrder } from './margin-account.ts'
import { parseSide, type Side } from './positions.ts'
import { isWholeAnswer, type WaitingOrder } from './waiting.ts'

/** An order that can still open a position, and an unsigned call that cancels only this order. */
export type StillOpening = {
  readonly kind: 'open' | 'waiting'
  readonly orderId: number
  readonly symbol: string
  readonly side: Side | null
  /** The unfilled quantity, as a decimal string. */
  readonly quantity: string
  readonly cancel: { readonly method: 'DELETE'; readonly path: string }
}

/**
 * The open orders that can open a position, from an answer to `GET /v1/orders`; null if the answer is incomplete, or if
 * an order in it has no id or quantity.
 */
export function parseOpenOrders(answer: unknown): readonly StillOpening[] | null {
  if (!isObject(answer) || !isWholeAnswer(answer)) return null
  const orders = rowsAt(answer, 'rows')
    .filter((row) => row['reduce_only'] !== true && !hasEnded(row['status']))
    .map(restingToOpen)
  return orders.every((order) => order !== null) ? orders : null
}

function restingToOpen(row: Row): StillOpening | null {
  const order = toOpenOrder(row)
  const orderId = Number(order?.id)
  if (!order || !(orderId > 0)) return null
  return {
    kind: 'open',
    side: parseSide(row['side']),
    quantity: amountText(order.left),
    ...cancelled('/v1/order', orderId, order.symbol),
  }
}

/** The waiting conditional orders that can open a position, each with its cancel call. */
export function waitingToOpen(orders: readonly WaitingOrder[]): readonly StillOpening[] {
  return orders.map(({ orderId, symbol, side, quantity }) => ({
    kind: 'waiting',
    side,
    quantity: amountText(quantity ?? 0n),
    ...cancelled('/v1/algo/order', orderId, symbol),
  }))
}

function cancelled(path: string, orderId: number, symbol: string) {
  const query = `order_id=${orderId}&symbol=${symbol}`
  return { orderId, symbol, cancel: { method: 'DELETE', path: `${path}?${query}` } } as const
}
