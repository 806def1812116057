import { EXCHANGE_LIMITS } from '../exchange/limits.ts'
import { type Account, type Exchange, isOpen, nextId, type Order } from '../exchange/state.ts'
import { reducible, rest } from '../matching/book.ts'
import { execute, finish } from '../matching/executions.ts'
import { type Plan, planOrder } from '../matching/plan.ts'
import { refusal } from '../wire/refusals.ts'
import { checkOrder } from './checks.ts'
import { checkMargin } from './margin.ts'
import { type Pricing, priceOrder } from './pricing.ts'
import { ORDER_TYPES, type OrderRequest } from './request.ts'

/**
 * Accepts an order and lets it meet the book. Answers the order as it stands afterwards: resting, filled or cancelled.
 * Throws the venue's refusal, with nothing changed, when a check fails.
 */
export function placeOrder(
  exchange: Exchange,
  account: Account,
  request: OrderRequest,
  nowMs: number,
): Order {
  const pricing = priceOrder(exchange, request, nowMs)
  const closable = reducible(exchange, ownerOf(account, request))
  checkRequest(exchange, account, request, pricing, closable, nowMs)

  const { accountId } = account.profile
  const { side, quantity, reduceOnly } = request
  const { symbol } = request.instrument
  const taker = { accountId, symbol, side, quantity, limit: pricing.limit }
  const plan = planOrder(exchange, taker, reduceOnly, nowMs)
  if (!reduceOnly) checkMargin(exchange, account, taker, plan.fills, nowMs)

  const order = newOrder(exchange, account, request, pricing.price, nowMs)
  account.open.set(order.id, order)
  exchange.journal.put('order', order.id, order)
  enter(exchange, order, plan, nowMs)
  return order
}

/** Cancels an open order of the account. Throws -1006 when there is none such. */
export function cancelOrder(
  exchange: Exchange,
  account: Account,
  { orderId, symbol }: { readonly orderId: number; readonly symbol: string },
  nowMs: number,
): void {
  const order = account.open.get(orderId)
  if (order?.symbol !== symbol) throw refusal('notFound')
  finish(exchange, order, 'CANCELLED', nowMs)
}

/** Cancels every open order of the account that is chosen. */
export function cancelOrders(
  exchange: Exchange,
  account: Account,
  isChosen: (order: Order) => boolean,
  nowMs: number,
): void {
  for (const order of [...account.open.values()])
    if (isChosen(order)) finish(exchange, order, 'CANCELLED', nowMs)
}

/** Lets an order that is booked as open meet the book, and rest or end by its type. */
export function enter(exchange: Exchange, order: Order, plan: Plan, atMs: number): void {
  const isRefused = isRefusedByType(order, plan)
  if (!isRefused) execute(exchange, order, plan, atMs)
  if (!isOpen(order)) return
  if (ORDER_TYPES[order.type].rests && !isRefused) rest(exchange, order)
  else finish(exchange, order, 'CANCELLED', atMs)
}

function checkRequest(
  exchange: Exchange,
  account: Account,
  request: OrderRequest,
  { price, reference }: Pricing,
  closable: bigint,
  nowMs: number,
): void {
  const { instrument, side, quantity, visible, reduceOnly, clientOrderId } = request
  const mark = exchange.feed.mark(instrument.symbol, nowMs)
  const isFullClose = reduceOnly && closable > 0n && quantity >= closable
  checkOrder({ instrument, side, price, reference, quantity, visible, mark, isFullClose })
  if (instrument.status === 'REDUCE_ONLY' && !reduceOnly)
    throw refusal('rejected', 'The market takes closing orders only')
  if (reduceOnly && closable === 0n)
    throw refusal('rejected', 'A reduce-only order has no position to reduce')
  if (clientOrderId !== null && isTaken(account, clientOrderId))
    throw refusal('duplicate', 'client_order_id is used by an open order')
  if (account.open.size >= EXCHANGE_LIMITS.openOrdersMax)
    throw refusal('rejected', 'Too many open orders')
}

function isTaken({ open }: Account, clientOrderId: string): boolean {
  return open.values().some((order) => order.clientOrderId === clientOrderId)
}

/** FOK fills as a whole or not at all; POST_ONLY never takes what the book shows. */
function isRefusedByType({ type }: Order, { left, fills, own }: Plan): boolean {
  if (type === 'FOK') return left > 0n
  if (type !== 'POST_ONLY') return false
  const meetsShown = fills.some(({ order }) => order === null || order.visible > 0n)
  return meetsShown || own.length > 0
}

function ownerOf({ profile }: Account, { instrument, side }: OrderRequest) {
  return { accountId: profile.accountId, symbol: instrument.symbol, side }
}

function newOrder(
  exchange: Exchange,
  { profile }: Account,
  request: OrderRequest,
  price: bigint | null,
  nowMs: number,
): Order {
  const { instrument, side, type, quantity, reduceOnly, clientOrderId, orderTag } = request
  const id = nextId(exchange)
  return {
    id,
    accountId: profile.accountId,
    symbol: instrument.symbol,
    side,
    type,
    reduceOnly,
    clientOrderId,
    orderTag,
    createdAtMs: nowMs,
    price,
    quantity,
    visible: request.visible ?? quantity,
    status: 'NEW',
    executed: 0n,
    executedValue: 0n,
    fee: 0n,
    realizedPnl: 0n,
    updatedAtMs: nowMs,
    priority: id,
    restedAtMs: nowMs,
  }
}
