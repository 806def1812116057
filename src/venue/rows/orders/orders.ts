import { type OrderRow, orderRow } from '../../engine/records/records.ts'
import type { Order } from '../../engine/state.ts'
import { marketAt, type Seat } from '../../exchange/seat.ts'
import type { Exchange } from '../../exchange/state.ts'
import { editOrder } from '../../orders/edit.ts'
import { cancelOrder, cancelOrders, placeOrder } from '../../orders/orders.ts'
import { parseOrder } from '../../orders/request.ts'
import { parseBody } from '../../wire/body.ts'
import { pageOf, positive, queryText, requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import type { VenueRow } from '../../wire/row.ts'
import { type SeatAnswer, seatRow } from '../private.ts'
import { cancelAllAfter } from './after.ts'
import { cancelBatch, cancelClientBatch, placeBatch } from './batch.ts'
import { allOrders, chosenOrders, chosenTrades } from './queries.ts'
import { acknowledgement, orderShape, tradeShape } from './shapes.ts'

/** Orders and trades. Reads need the scope `read`, everything that changes an order `trading`. */
export function orderRows({ exchange }: { readonly exchange: Exchange }): readonly VenueRow[] {
  return [...writeRows(exchange), ...readRows(exchange)]
}

function writeRows(exchange: Exchange): readonly VenueRow[] {
  const row = (method: 'POST' | 'PUT' | 'DELETE', path: string, answer: SeatAnswer) =>
    seatRow(exchange, { method, path, scope: 'trading' }, answer)
  return [
    row('POST', '/v1/order', (seat, { body, nowMs }) =>
      acknowledgement(placeOrder(seat, parseOrder(parseBody(body), seat), nowMs)),
    ),
    row('PUT', '/v1/order', (seat, { body, nowMs }) => {
      editOrder(seat, parseBody(body), nowMs)
      return { status: 'EDIT_SENT' }
    }),
    row('DELETE', '/v1/order', (seat, { query, nowMs }) => {
      const symbol = requiredQuery(query, 'symbol')
      requiredQuery(query, 'order_id')
      const orderId = positive(query, 'order_id', 0)
      cancelOrder(seat, { orderId, symbol }, nowMs)
      return { status: 'CANCEL_SENT' }
    }),
    row('DELETE', '/v1/orders', (seat, { query, nowMs }) => {
      const symbol = queryText(query, 'symbol')
      const isChosen = ({ exposure }: Order) =>
        symbol === null || exposure.market.spec.symbol === symbol
      cancelOrders(seat, isChosen, nowMs)
      return { status: 'CANCEL_ALL_SENT' }
    }),
    row('DELETE', '/v1/client/order', (seat, { query, nowMs }) => {
      const symbol = requiredQuery(query, 'symbol')
      const order = seat.account.clientIds.get(requiredQuery(query, 'client_order_id'))
      cancelOrder(seat, { orderId: order?.id ?? 0, symbol }, nowMs)
      return { status: 'CANCEL_SENT' }
    }),
    row('POST', '/v1/batch-order', placeBatch),
    row('DELETE', '/v1/batch-order', cancelBatch),
    row('DELETE', '/v1/client/batch-order', cancelClientBatch),
    row('POST', '/v1/order/cancel_all_after', cancelAllAfter),
  ]
}

function readRows(exchange: Exchange): readonly VenueRow[] {
  const row = (path: string, answer: SeatAnswer) =>
    seatRow(exchange, { method: 'GET', path, scope: 'read' }, answer)
  const shapeOf = (seat: Seat, order: OrderRow) =>
    orderShape(
      order,
      marketAt(seat, order),
      exchange.accounts.get(seat.account.key)?.profile.userId,
    )
  return [
    row('/v1/order/{order_id}', (seat, { params }) => {
      const id = Number(params['order_id'])
      const order = allOrders(seat).find((known) => known.id === id)
      if (!order) throw refusal('notFound')
      return shapeOf(seat, order)
    }),
    row('/v1/order/{order_id}/trades', (seat, { params }) => {
      const id = Number(params['order_id'])
      if (!allOrders(seat).some((known) => known.id === id)) throw refusal('notFound')
      const trades = seat.records.trades.filter(({ order }) => order === id).reverse()
      return { rows: trades.map((trade) => tradeShape(trade, marketAt(seat, trade))) }
    }),
    row('/v1/client/order/{client_order_id}', (seat, { params }) => {
      const id = params['client_order_id'] ?? ''
      const order = seat.account.clientIds.get(id)
      const found = order ? orderRow(order) : ended(seat, id)
      if (!found) throw refusal('notFound')
      return shapeOf(seat, found)
    }),
    row('/v1/orders', (seat, { query }) => {
      const { meta, rows } = pageOf(chosenOrders(seat, query), query)
      return { meta, rows: rows.map((order) => shapeOf(seat, order)) }
    }),
    row('/v1/trades', (seat, { query }) => {
      const { meta, rows } = pageOf(chosenTrades(seat, query), query)
      return { meta, rows: rows.map((trade) => tradeShape(trade, marketAt(seat, trade))) }
    }),
    row('/v1/trade/{trade_id}', (seat, { params }) => {
      const id = Number(params['trade_id'])
      const trade = seat.records.trades.find((known) => known.id === id)
      if (!trade) throw refusal('notFound')
      return tradeShape(trade, marketAt(seat, trade))
    }),
  ]
}

/** The latest order that ended with a client's id: it may be used again. */
function ended({ records }: Seat, id: string): OrderRow | undefined {
  return records.orders.findLast(({ clientOrderId }) => clientOrderId === id)
}
