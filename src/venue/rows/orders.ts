import { accountOf } from '../accounts/accounts.ts'
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

/** Orders and trades. Reads need the scope `read`, everything that changes an order `trading`. */
export function orderRows({ exchange }: { readonly exchange: Exchange }): readonly VenueRow[] {
  return [...writeRows(exchange), ...readRows(exchange)]
}

function writeRows(exchange: Exchange): readonly VenueRow[] {
  const { instruments } = exchange.feed
  return [
    {
      method: 'POST',
      path: '/v1/order',
      scope: 'trading',
      answer: (call) => {
        const request = parseOrder(parseBody(call.body), instruments)
        return acknowledgement(
          placeOrder(exchange, accountOf(exchange, call.accountId), request, call.nowMs),
        )
      },
    },
    {
      method: 'PUT',
      path: '/v1/order',
      scope: 'trading',
      answer: (call) => {
        editOrder(exchange, accountOf(exchange, call.accountId), parseBody(call.body), call.nowMs)
        return { status: 'EDIT_SENT' }
      },
    },
    {
      method: 'DELETE',
      path: '/v1/order',
      scope: 'trading',
      answer: (call) => {
        const symbol = requiredQuery(call.query, 'symbol')
        requiredQuery(call.query, 'order_id')
        const orderId = positive(call.query, 'order_id', 0)
        cancelOrder(exchange, accountOf(exchange, call.accountId), { orderId, symbol }, call.nowMs)
        return { status: 'CANCEL_SENT' }
      },
    },
    {
      method: 'DELETE',
      path: '/v1/orders',
      scope: 'trading',
      answer: (call) => {
        const symbol = queryText(call.query, 'symbol')
        const isChosen = (order: { symbol: string }) => symbol === null || order.symbol === symbol
        cancelOrders(exchange, accountOf(exchange, call.accountId), isChosen, call.nowMs)
        return { status: 'CANCEL_ALL_SENT' }
      },
    },
    {
      method: 'POST',
      path: '/v1/batch-order',
      scope: 'trading',
      answer: (call) => placeBatch(exchange, accountOf(exchange, call.accountId), call),
    },
    {
      method: 'DELETE',
      path: '/v1/batch-order',
      scope: 'trading',
      answer: (call) => cancelBatch(exchange, accountOf(exchange, call.accountId), call),
    },
  ]
}

function readRows(exchange: Exchange): readonly VenueRow[] {
  return [
    {
      method: 'GET',
      path: '/v1/order/{order_id}',
      scope: 'read',
      answer: (call) => orderById(accountOf(exchange, call.accountId), call),
    },
    {
      method: 'GET',
      path: '/v1/orders',
      scope: 'read',
      answer: (call) => {
        const account = accountOf(exchange, call.accountId)
        const { meta, rows } = pageOf(chosenOrders(account, call.query), call.query)
        return { meta, rows: rows.map((order) => orderRow(order, account)) }
      },
    },
    {
      method: 'GET',
      path: '/v1/trades',
      scope: 'read',
      answer: (call) => {
        const trades = chosenTrades(accountOf(exchange, call.accountId), call.query)
        const { meta, rows } = pageOf(trades, call.query)
        return { meta, rows: rows.map(tradeRow) }
      },
    },
    {
      method: 'GET',
      path: '/v1/trade/{trade_id}',
      scope: 'read',
      answer: (call) => tradeById(accountOf(exchange, call.accountId), call),
    },
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
