import { type Account, type Exchange, leftOf, nextId, type Order } from '../exchange/state.ts'
import { reducible, unrest } from '../matching/book.ts'
import { planOrder, planTaker, takerOf } from '../matching/plan.ts'
import { smaller } from '../units.ts'
import {
  choiceField,
  decimalField,
  type Fields,
  flagField,
  integerField,
  requiredText,
} from '../wire/body.ts'
import { refusal } from '../wire/refusals.ts'
import { checkOrder } from './checks.ts'
import { checkMargin } from './margin.ts'
import { enter } from './orders.ts'
import { refuseUnsupported, SIDES, TYPES } from './request.ts'

type Change = { readonly price: bigint; readonly quantity: bigint; readonly visible: bigint }

/**
 * PUT /v1/order: changes the price or the whole quantity of an open order, which then meets the book again. It keeps
 * its place in the queue only when it just shrinks. Throws -1006 when the order is not open, -1005 when anything else
 * is to change, and the refusals of a new order; then the order stays as it was.
 */
export function editOrder(
  exchange: Exchange,
  account: Account,
  fields: Fields,
  nowMs: number,
): void {
  const order = orderOf(account, fields)
  const change = changeOf(order, fields)
  checkChange(exchange, account, order, change, nowMs)
  const keepsPlace = change.price === order.price && change.quantity <= order.quantity
  order.quantity = change.quantity
  order.visible = change.visible
  order.price = change.price
  order.updatedAtMs = nowMs
  exchange.journal.put('order', order.id, order)
  if (keepsPlace) return
  unrest(exchange, order)
  order.priority = nextId(exchange)
  order.restedAtMs = nowMs
  enter(exchange, order, planOrder(exchange, takerOf(order), order.reduceOnly, nowMs), nowMs)
}

function orderOf({ open }: Account, fields: Fields): Order {
  const orderId = integerField(fields, 'order_id', 1, Number.MAX_SAFE_INTEGER)
  if (orderId === undefined) throw refusal('parameter', 'order_id is required')
  const symbol = requiredText(fields, 'symbol')
  const order = open.get(orderId)
  if (order?.symbol !== symbol) throw refusal('notFound')
  return order
}

function changeOf(order: Order, fields: Fields): Change {
  refuseUnsupported(fields)
  const price = decimalField(fields, 'order_price', 'price') ?? order.price ?? 0n
  const quantity = decimalField(fields, 'order_quantity', 'size') ?? order.quantity
  if (price <= 0n) throw refusal('parameter', 'order_price must be a positive number')
  const isWhole = order.visible === order.quantity
  const visible = isWhole ? quantity : smaller(order.visible, quantity)
  if (!isSameOtherwise(order, fields, visible))
    throw refusal('parameter', 'You can not change other order info.')
  return { price, quantity, visible }
}

function isSameOtherwise(order: Order, fields: Fields, visible: bigint): boolean {
  const shown = decimalField(fields, 'visible_quantity', 'size') ?? visible
  return (
    choiceField(fields, 'order_type', TYPES) === order.type &&
    choiceField(fields, 'side', SIDES) === order.side &&
    (fields['client_order_id'] ?? order.clientOrderId) === order.clientOrderId &&
    (fields['order_tag'] ?? order.orderTag) === order.orderTag &&
    ((fields['reduce_only'] ?? null) === null ||
      flagField(fields, 'reduce_only') === order.reduceOnly) &&
    (shown === visible || shown === order.visible)
  )
}

function checkChange(
  exchange: Exchange,
  account: Account,
  order: Order,
  { price, quantity, visible }: Change,
  nowMs: number,
): void {
  const { symbol, side, reduceOnly } = order
  const instrument = exchange.feed.instruments.get(symbol)
  if (!instrument) throw refusal('notFound')
  const mark = exchange.feed.mark(symbol, nowMs)
  const left = quantity - order.executed
  const isFullClose = reduceOnly && left >= reducible(exchange, order)
  checkOrder({ instrument, side, price, reference: price, quantity, visible, mark, isFullClose })
  if (left <= 0n) throw refusal('size', 'The order quantity is already executed')
  if (reduceOnly) return
  const changed = { ...order, price, quantity }
  const { fills } = planTaker(exchange, takerOf(changed), nowMs)
  checkMargin(
    exchange,
    account,
    { symbol, side, quantity: leftOf(changed), replaces: order.id },
    fills,
    nowMs,
  )
}
