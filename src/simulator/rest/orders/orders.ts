import { isObject } from '../../../core/json.ts'
import { visibleDepth } from '../../book/depth.ts'
import { findOpen, openOrderList } from '../../book/open-orders.ts'
import type { VenueState } from '../../exchange/state.ts'
import { marketAt, type TradingContext } from '../../exchange/trading-context.ts'
import { type OrderRow, storedOrderRow } from '../../history/account-rows.ts'
import { textNumber } from '../../history/past-rows.ts'
import { type Fields, integerField } from '../../messages/body.ts'
import { EXCHANGE_LIMITS } from '../../messages/limits.ts'
import { positive, queryText, requiredQuery, selectedPage } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { VenueRefusal } from '../../messages/row.ts'
import { wirePrice, wireQuantity } from '../../messages/values.ts'
import { parseEdit, parseOrder } from '../../orders/parse/order.ts'
import { marketBySymbol } from '../../state/exchange.ts'
import { accepted } from '../../state/rejections.ts'
import { BUY, type EngineOrder, SELL } from '../../state/state.ts'
import type { SignedCall, SignedTable } from '../signed/call.ts'
import { acknowledgement, chosenOrders, chosenTrades, orderShape, tradeShape } from './shapes.ts'

/** Endpoints for orders, trades and the order book. */
export const ORDERS: SignedTable = {
  trading: {
    'POST /v1/order': (call) => acknowledgement(place(call, call.fields)),
    'PUT /v1/order': ({ context, fields, nowMs }) => {
      const edit = { account: context.account.number, ...parseEdit(fields, context.account) }
      accepted(context.engine.submit('edit', edit, nowMs))
      return { status: 'EDIT_SENT' }
    },
    'DELETE /v1/order': ({ context, query, nowMs }) => {
      const symbol = requiredQuery(query, 'symbol')
      requiredQuery(query, 'order_id')
      return cancelOne(context, symbol, positive(query, 'order_id', 0), nowMs)
    },
    'DELETE /v1/orders': ({ context, query, nowMs }) => {
      const symbol = queryText(query, 'symbol')
      return cancelChosen(
        context,
        ({ marketAccount }) => symbol === null || marketAccount.market.spec.symbol === symbol,
        nowMs,
      )
    },
    'DELETE /v1/client/order': ({ context, query, nowMs }) => {
      const symbol = requiredQuery(query, 'symbol')
      const order = context.account.clientIds.get(requiredQuery(query, 'client_order_id'))
      return cancelOne(context, symbol, order?.id ?? 0, nowMs)
    },
    'POST /v1/batch-order': placeBatch,
    'DELETE /v1/batch-order': ({ context, query, nowMs }) => {
      const chosen = new Set(listed(query, 'order_ids', /^\d{1,15}$/).map(Number))
      return cancelChosen(context, ({ id }) => chosen.has(id), nowMs)
    },
    'DELETE /v1/client/batch-order': ({ context, query, nowMs }) => {
      const chosen = new Set<string | null>(listed(query, 'client_order_ids', /^[\w.-]{1,36}$/))
      return cancelChosen(context, ({ clientOrderId }) => chosen.has(clientOrderId), nowMs)
    },
    'POST /v1/order/cancel_all_after': cancelAllAfter,
  },
  read: {
    'GET /v1/order/{order_id}': ({ exchange, context, params }) => {
      return foundOrderShape(exchange, context, findOrderRow(context, Number(params['order_id'])))
    },
    'GET /v1/order/{order_id}/trades': ({ context, params }) => {
      const id = Number(params['order_id'])
      if (!findOrderRow(context, id)) throw refusal('notFound')
      const trades = context.lists.trades().withReference(id)
      return { rows: trades.map((trade) => tradeShape(trade, marketAt(context, trade))) }
    },
    'GET /v1/client/order/{client_order_id}': ({ exchange, context, params }) => {
      const id = params['client_order_id'] ?? ''
      const order = context.account.clientIds.get(id)
      return foundOrderShape(exchange, context, order ? storedOrderRow(order) : ended(context, id))
    },
    'GET /v1/orders': ({ exchange, context, query }) =>
      selectedPage(chosenOrders(context, query), query, (order) =>
        foundOrderShape(exchange, context, order),
      ),
    'GET /v1/trades': ({ context, query }) =>
      selectedPage(chosenTrades(context, query), query, (trade) =>
        tradeShape(trade, marketAt(context, trade)),
      ),
    'GET /v1/trade/{trade_id}': ({ context, params }) => {
      const trade = context.lists.trades().find(Number(params['trade_id']))
      if (!trade) throw refusal('notFound')
      return tradeShape(trade, marketAt(context, trade))
    },
    'GET /v1/orderbook/{symbol}': orderbook,
  },
}

/** An order of the account, whether it is open or has ended. */
function findOrderRow({ account, lists }: TradingContext, id: number): OrderRow | undefined {
  const open = findOpen(account, id)
  return open ? storedOrderRow(open) : lists.orders().find(id)
}

/** The row of an order. Throws -1006 if there is no such order. */
function foundOrderShape(
  { accounts }: VenueState,
  context: TradingContext,
  order: OrderRow | undefined,
) {
  if (!order) throw refusal('notFound')
  const userId = accounts.get(context.account.key)?.profile.userId
  return orderShape(order, marketAt(context, order), userId)
}

/** Places an order and returns the order's new state. Throws the refusal if the order is rejected. */
function place({ context, nowMs, fillShare }: SignedCall, fields: Fields): EngineOrder {
  const { engine, account } = context
  const order = parseOrder(fields, engine.world.exchange)
  const placing = { ...order, account: account.number }
  const faulty = fillShare === undefined ? placing : { ...placing, fillShare }
  return accepted(engine.submit('place', faulty, nowMs))
}

/** Cancels an open order of the account. Throws -1006 for an unknown order. */
function cancelOne(context: TradingContext, symbol: string, orderId: number, nowMs: number) {
  const order = findOpen(context.account, orderId)
  if (order?.marketAccount.market.spec.symbol !== symbol) throw refusal('notFound')
  cancel(context, order, nowMs)
  return { status: 'CANCEL_SENT' }
}

function cancelChosen(
  context: TradingContext,
  isChosen: (order: EngineOrder) => boolean,
  nowMs: number,
) {
  for (const order of openOrderList(context.account))
    if (isChosen(order)) cancel(context, order, nowMs)
  return { status: 'CANCEL_ALL_SENT' }
}

function cancel({ engine, account }: TradingContext, { id }: EngineOrder, nowMs: number): void {
  engine.submit('cancel', { account: account.number, order: id }, nowMs)
}

/** The latest ended order with a client id, which the client may have used several times. */
function ended({ lists }: TradingContext, id: string): OrderRow | undefined {
  const found = lists.orders().withReference(textNumber(id))
  return found.find(({ clientOrderId }) => clientOrderId === id)
}

/**
 * POST /v1/batch-order: up to ten orders. Each order is accepted or refused separately. A refused order has order_id 0
 * and the reason. `reduce_only` is ignored in a batch. Throws -1005 if `orders` is malformed.
 */
function placeBatch(call: SignedCall) {
  const { orders } = call.fields
  const max = EXCHANGE_LIMITS.batchOrdersMax
  if (!Array.isArray(orders) || orders.length === 0 || orders.length > max)
    throw refusal('parameter', `orders must be a list of 1 to ${max} orders`)
  return { rows: orders.map((order: unknown) => placeOne(call, order)) }
}

/** Up to ten ids from a query, separated by commas. Throws -1005 for more than ten ids or a malformed id. */
function listed(query: URLSearchParams, name: string, pattern: RegExp): string[] {
  const ids = requiredQuery(query, name).split(',')
  const max = EXCHANGE_LIMITS.batchOrdersMax
  if (ids.length > max || !ids.every((id) => pattern.test(id)))
    throw refusal('parameter', `${name} must be 1 to ${max} comma-separated order ids`)
  return ids
}

function placeOne(call: SignedCall, order: unknown) {
  const fields = isObject(order) ? order : {}
  try {
    const { reduce_only: _, ...rest } = fields
    return acknowledgement(place(call, rest))
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

/** A number that the request gives as a text and the answer repeats; null for other values. */
function numberEcho(value: unknown): number | null {
  const number = typeof value === 'string' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : null
}

const AFTER_MS = { min: 5000, max: 900_000 } as const

/**
 * POST /v1/order/cancel_all_after: cancels all open orders, including algo orders, after `trigger_after` ms on the
 * venue's clock. Each call replaces the time; 0 disarms the timer. Throws -1005 if `trigger_after` is missing or out of
 * bounds.
 */
function cancelAllAfter({ context: { engine, account }, fields, nowMs }: SignedCall) {
  const afterMs = integerField(fields, 'trigger_after', 0, AFTER_MS.max)
  if (afterMs === undefined) throw refusal('parameter', 'trigger_after is required')
  if (afterMs > 0 && afterMs < AFTER_MS.min)
    throw refusal(
      'parameter',
      `trigger_after must be 0, or between ${AFTER_MS.min} and ${AFTER_MS.max}`,
    )
  const at = afterMs === 0 ? null : nowMs + afterMs
  engine.submit('cancelAllAt', { account: account.number, at }, nowMs)
  return { expected_trigger_time: at ?? 0 }
}

const LEVELS_DEFAULT = 100
const LEVELS_MAX = 500

/** The order book; both sides are ordered best first. Throws -1005 for an unknown market. */
function orderbook({ context, params, query, nowMs }: SignedCall) {
  const market = marketBySymbol(context.engine.world.exchange, params['symbol'] ?? '')
  const levels = Math.min(positive(query, 'max_level', LEVELS_DEFAULT), LEVELS_MAX)
  const bookLevels = (side: typeof BUY | typeof SELL) =>
    visibleDepth(market, side, levels).map(({ price, quantity }) => ({
      price: wirePrice(market.spec, price),
      quantity: wireQuantity(market.spec, quantity),
    }))
  return { asks: bookLevels(SELL), bids: bookLevels(BUY), timestamp: nowMs }
}
