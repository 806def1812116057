import { isObject } from '../../../core/json.ts'
import type { Order } from '../../engine/state.ts'
import { EXCHANGE_LIMITS } from '../../exchange/limits.ts'
import type { Seat } from '../../exchange/seat.ts'
import { cancelOrders, placeOrder } from '../../orders/orders.ts'
import { parseOrder } from '../../orders/request.ts'
import { parseBody } from '../../wire/body.ts'
import { requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import { type VenueCall, VenueRefusal } from '../../wire/row.ts'
import { acknowledgement } from './shapes.ts'

/**
 * POST /v1/batch-order: up to ten orders, each accepted or refused on its own. A refused one has order_id 0 and the
 * reason. `reduce_only` does not count in a batch. Throws -1005 when `orders` is no such list.
 */
export function placeBatch(seat: Seat, { body, nowMs }: VenueCall) {
  const { orders } = parseBody(body)
  const max = EXCHANGE_LIMITS.batchOrdersMax
  if (!Array.isArray(orders) || orders.length === 0 || orders.length > max)
    throw refusal('parameter', `orders must be a list of 1 to ${max} orders`)
  return { rows: orders.map((order: unknown) => placeOne(seat, order, nowMs)) }
}

/** DELETE /v1/batch-order: cancels those of up to ten comma-separated `order_ids` that are open. Throws -1005. */
export function cancelBatch(seat: Seat, { query, nowMs }: VenueCall) {
  const chosen = new Set(listed(query, 'order_ids', /^\d{1,15}$/).map(Number))
  return cancelChosen(seat, ({ id }) => chosen.has(id), nowMs)
}

/** DELETE /v1/client/batch-order: the same by the clients' own ids. */
export function cancelClientBatch(seat: Seat, { query, nowMs }: VenueCall) {
  const chosen = new Set<string | null>(listed(query, 'client_order_ids', /^[\w.-]{1,36}$/))
  return cancelChosen(seat, ({ clientOrderId }) => chosen.has(clientOrderId), nowMs)
}

function listed(query: URLSearchParams, name: string, pattern: RegExp): string[] {
  const ids = requiredQuery(query, name).split(',')
  const max = EXCHANGE_LIMITS.batchOrdersMax
  if (ids.length > max || !ids.every((id) => pattern.test(id)))
    throw refusal('parameter', `${name} must be 1 to ${max} comma-separated order ids`)
  return ids
}

function cancelChosen(seat: Seat, isChosen: (order: Order) => boolean, nowMs: number) {
  cancelOrders(seat, isChosen, nowMs)
  return { status: 'CANCEL_ALL_SENT' }
}

function placeOne(seat: Seat, order: unknown, nowMs: number) {
  const fields = isObject(order) ? order : {}
  try {
    const { reduce_only: _, ...rest } = fields
    return acknowledgement(placeOrder(seat, parseOrder(rest, seat), nowMs))
  } catch (error) {
    if (!(error instanceof VenueRefusal)) throw error
    return {
      order_id: 0,
      client_order_id: echo(fields['client_order_id']),
      order_type: echo(fields['order_type']),
      order_price: numberEcho(fields['order_price']),
      order_quantity: numberEcho(fields['order_quantity']),
      order_amount: null,
      error_message: error.message,
    }
  }
}

function echo(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** A number's text is what the body was parsed to; what is none is not echoed. */
function numberEcho(value: unknown): number | null {
  const number = typeof value === 'string' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : null
}
