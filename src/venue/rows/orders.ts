import type { Account, Exchange } from '../exchange/state.ts'
import { editOrder } from '../orders/edit.ts'
import { cancelOrder, cancelOrders, placeOrder } from '../orders/orders.ts'
import { parseOrder } from '../orders/request.ts'
import { parseBody } from '../wire/body.ts'
import { pageOf, positive, queryText, requiredQuery } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'
import type { VenueCall, VenueRow } from '../wire/row.ts'
import { cancelBatch, placeBatch } from './orders-batch.ts'
import { chosenOrders, chosenTrades } from './orders-queries.ts'
import { acknowledgement, orderRow, tradeRow } from './orders-shapes.ts'
import { type AccountAnswer, privateRow } from './private.ts'

/** Orders and trades. Reads need the scope `read`, everything that changes an order `trading`. */
export function orderRows({ exchange }: { readonly exchange: Exchange }): readonly VenueRow[] {
  return [...writeRows(exchange), ...readRows(exchange)]
}

function writeRows(exchange: Exchange): readonly VenueRow[] {
  const row = (method: 'POST' | 'PUT' | 'DELETE', path: string, answer: AccountAnswer) =>
    privateRow(exchange, method, path, 'trading', answer)
  return [
    row('POST', '/v1/order', (account, { body, nowMs }) => {
      const request = parseOrder(parseBody(body), exchange.feed.instruments)
      return acknowledgement(placeOrder(exchange, account, request, nowMs))
    }),
    row('PUT', '/v1/order', (account, { body, nowMs }) => {
      editOrder(exchange, account, parseBody(body), nowMs)
      return { status: 'EDIT_SENT' }
    }),
    row('DELETE', '/v1/order', (account, { query, nowMs }) => {
      const symbol = requiredQuery(query, 'symbol')
      requiredQuery(query, 'order_id')
      const orderId = positive(query, 'order_id', 0)
      cancelOrder(exchange, account, { orderId, symbol }, nowMs)
      return { status: 'CANCEL_SENT' }
    }),
    row('DELETE', '/v1/orders', (account, { query, nowMs }) => {
      const symbol = queryText(query, 'symbol')
      const isChosen = (order: { symbol: string }) => symbol === null || order.symbol === symbol
      cancelOrders(exchange, account, isChosen, nowMs)
      return { status: 'CANCEL_ALL_SENT' }
    }),
    row('POST', '/v1/batch-order', (account, call) => placeBatch(exchange, account, call)),
    row('DELETE', '/v1/batch-order', (account, call) => cancelBatch(exchange, account, call)),
  ]
}

function readRows(exchange: Exchange): readonly VenueRow[] {
  const row = (path: string, answer: AccountAnswer) =>
    privateRow(exchange, 'GET', path, 'read', answer)
  return [
    row('/v1/order/{order_id}', orderById),
    row('/v1/orders', (account, { query }) => {
      const { meta, rows } = pageOf(chosenOrders(account, query), query)
      return { meta, rows: rows.map((order) => orderRow(order, account)) }
    }),
    row('/v1/trades', (account, { query }) => {
      const { meta, rows } = pageOf(chosenTrades(account, query), query)
      return { meta, rows: rows.map(tradeRow) }
    }),
    row('/v1/trade/{trade_id}', tradeById),
  ]
}

function orderById(account: Account, { params }: VenueCall) {
  const id = Number(params['order_id'])
  const order = account.open.get(id) ?? account.finished.find((finished) => finished.id === id)
  if (!order) throw refusal('notFound')
  return orderRow(order, account)
}

function tradeById({ trades }: Account, { params }: VenueCall) {
  const id = Number(params['trade_id'])
  const trade = trades.find((candidate) => candidate.id === id)
  if (!trade) throw refusal('notFound')
  return tradeRow(trade)
}
