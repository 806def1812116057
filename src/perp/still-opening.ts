import { isObject, type Row, rowsAt } from '../core/json.ts'
import { amountText, toAmount } from './amounts.ts'
import type { Side } from './positions.ts'
import { hasEnded, isWholeAnswer, type WaitingOrder } from './waiting.ts'

/** An order that can still open a position, and the call to sign that cancels it alone. */
export type StillOpening = {
  readonly kind: 'open' | 'waiting'
  readonly orderId: number
  readonly symbol: string
  readonly side: Side | null
  /** What is not executed yet, as decimal text. */
  readonly quantity: string
  readonly cancel: { readonly method: 'DELETE'; readonly path: string }
}

/**
 * The open orders that can open a position, from an answer to `GET /v1/orders`; null if the answer leaves orders out or an
 * order of it has no id.
 */
export function parseOpenOrders(answer: unknown): readonly StillOpening[] | null {
  if (!isObject(answer) || !isWholeAnswer(answer)) return null
  const orders = rowsAt(answer, 'rows')
    .filter((row) => row['reduce_only'] !== true && !hasEnded(row['status']))
    .map(openOrder)
  return orders.every((order) => order !== null) ? orders : null
}

function openOrder(row: Row): StillOpening | null {
  const orderId = Number(row['order_id'])
  if (!(orderId > 0)) return null
  const left = (toAmount(row['quantity']) ?? 0n) - (toAmount(row['total_executed_quantity']) ?? 0n)
  const { side } = row
  return {
    kind: 'open',
    side: side === 'BUY' || side === 'SELL' ? side : null,
    quantity: amountText(left),
    ...cancelled('/v1/order', orderId, String(row['symbol'])),
  }
}

/** The waiting conditional orders that can open a position: never a stop or take profit of one. */
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
