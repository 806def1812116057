import { findOpen } from '../engine/orders/chain.ts'
import { Rejection } from '../engine/rejections.ts'
import type { Order } from '../engine/state.ts'
import type { Seat } from '../exchange/seat.ts'
import {
  choiceField,
  decimalField,
  type Fields,
  flagField,
  integerField,
  requiredText,
} from '../wire/body.ts'
import { refusal } from '../wire/refusals.ts'
import { stepsOf, ticksOf } from './grid.ts'
import { refused, sideOf } from './outcomes.ts'
import { isolatedField, SIDES, TYPES } from './request.ts'

type Change = { readonly price: number; readonly quantity: number }

/**
 * PUT /v1/order: changes the price or the whole quantity of an open order, which then meets the book again. It keeps
 * its place in the queue only when it just shrinks. Throws -1006 when the order is not open, -1005 when anything else
 * is to change, and the refusals of a new order; then the order stays as it was.
 */
export function editOrder(seat: Seat, fields: Fields, nowMs: number): void {
  const order = orderOf(seat, fields)
  const change = changeOf(order, fields)
  const edit = { ...change, account: seat.account.number, order: order.id }
  const outcome = seat.engine.submit('edit', edit, nowMs)
  if (outcome instanceof Rejection) throw refused(outcome)
}

function orderOf({ account }: Seat, fields: Fields): Order {
  const orderId = integerField(fields, 'order_id', 1, Number.MAX_SAFE_INTEGER)
  if (orderId === undefined) throw refusal('parameter', 'order_id is required')
  const symbol = requiredText(fields, 'symbol')
  const order = findOpen(account, orderId)
  if (order?.exposure.market.spec.symbol !== symbol) throw refusal('notFound')
  return order
}

function changeOf(order: Order, fields: Fields): Change {
  const { market } = order.exposure
  const price = decimalField(fields, 'order_price', 'price')
  const quantity = decimalField(fields, 'order_quantity', 'size')
  if (price !== undefined && price <= 0n)
    throw refusal('parameter', 'order_price must be a positive number')
  if (!isSameOtherwise(order, fields))
    throw refusal('parameter', 'You can not change other order info.')
  return {
    price: price === undefined ? order.price : ticksOf(price, market),
    quantity: quantity === undefined ? order.quantity : stepsOf(quantity, market, 'order quantity'),
  }
}

function isSameOtherwise(order: Order, fields: Fields): boolean {
  return (
    choiceField(fields, 'order_type', TYPES) === order.type &&
    choiceField(fields, 'side', SIDES) === sideOf(order.side) &&
    (fields['client_order_id'] ?? order.clientOrderId) === order.clientOrderId &&
    (fields['order_tag'] ?? order.orderTag) === order.orderTag &&
    (fields['order_amount'] ?? null) === null &&
    (isolatedField(fields) ?? order.exposure.isolated) === order.exposure.isolated &&
    ((fields['reduce_only'] ?? null) === null ||
      flagField(fields, 'reduce_only') === order.reduceOnly) &&
    showsTheSame(order, fields)
  )
}

/** The visible quantity may be told as it is, or as it follows from the new quantity. */
function showsTheSame({ exposure, visible, quantity }: Order, fields: Fields): boolean {
  const shown = decimalField(fields, 'visible_quantity', 'size')
  if (shown === undefined) return true
  const step = BigInt(exposure.market.spec.step)
  const before = BigInt(visible) * step
  const whole = decimalField(fields, 'order_quantity', 'size') ?? BigInt(quantity) * step
  const after = visible === quantity || whole < before ? whole : before
  return shown === after || shown === before
}
