import { exposureOf, isIdle } from '../accounts.ts'
import { rest } from '../book/ladder.ts'
import { type Exchange, nextId } from '../exchange.ts'
import { execute } from '../matching/execute.ts'
import { reducible, type Walk, walk } from '../matching/walk.ts'
import { REJECTIONS, Rejection } from '../rejections.ts'
import { BUY, type Exposure, isOpen, leftOf, type Order } from '../state.ts'
import { checkAdmission, checkFilters } from './checks.ts'
import { checkMargin } from './margin.ts'
import { begin, cancel, pend } from './open.ts'
import { marketLimit, priceOf, referenceOf } from './pricing.ts'
import { type OrderRequest, RESTS } from './request.ts'

/**
 * Accepts an order and lets it meet the book. Answers the order as it stands afterwards: resting, filled or cancelled;
 * or why it was refused, with nothing changed.
 */
export function placeOrder(
  exchange: Exchange,
  request: OrderRequest,
  atMs: number,
): Order | Rejection {
  const exposure = exposureOf(request.account, request.market)
  const price = priceOf(request)
  if (price instanceof Rejection) return price
  const refused = checkRequest(request, exposure, price)
  if (refused) return refused
  const order = newOrder(exchange, exposure, request, price, atMs)
  const limit = price === 0 ? marketLimit(request) : price
  const planned = walkOrder(order, limit)
  pend(order, order.quantity)
  const uncovered = order.reduceOnly ? null : checkMargin(exposure, planned.cost)
  if (uncovered) {
    pend(order, -order.quantity)
    return uncovered
  }
  begin(exchange, order)
  enter(exchange, order, planned, limit, atMs)
  return order
}

/** Lets an order that is counted as open meet the book, and rest or end by its type. */
export function enter(
  exchange: Exchange,
  order: Order,
  planned: Walk,
  limit: number,
  atMs: number,
): void {
  const isRefused = isRefusedByType(order, planned)
  const meets = planned.left < leftOf(order) || planned.meetsOwn
  if (meets && !isRefused) execute(exchange, order, takeable(order), limit, atMs)
  if (!isOpen(order)) return
  if (RESTS[order.type] && !isRefused) rest(ladderOf(order), order)
  else cancel(exchange, order, atMs)
}

/** What would happen if an order entered now. */
export function walkOrder(order: Order, limit: number): Walk {
  const { exposure, side } = order
  const quantity = takeable(order)
  const planned = walk({ exposure, side, quantity, limit })
  planned.left += leftOf(order) - quantity
  return planned
}

/** How much of an order may be filled: a reduce-only one takes no more than its owner's position. */
function takeable(order: Order): number {
  const left = leftOf(order)
  return order.reduceOnly ? Math.min(left, reducible(order.exposure, order.side)) : left
}

/** The side of the book that an order rests in. */
function ladderOf({ exposure, side }: Order) {
  const { book } = exposure.market
  return side === BUY ? book.bids : book.asks
}

function checkRequest(request: OrderRequest, exposure: Exposure, price: number): Rejection | null {
  const { market, side, quantity, visible, reduceOnly } = request
  const closable = reducible(exposure, side)
  const reference = price === 0 ? referenceOf(market, side) : price
  const isFullClose = reduceOnly && closable > 0 && quantity >= closable
  return (
    checkFilters({ market, side, price, reference, quantity, visible, isFullClose }) ??
    checkAdmission(request, exposure) ??
    checkMode(request, exposure)
  )
}

/** Takes the margin mode of the order when the account uses the market for nothing else. */
function checkMode({ isolated }: OrderRequest, exposure: Exposure): Rejection | null {
  if (isolated === null || isolated === exposure.isolated) return null
  if (!isIdle(exposure)) return REJECTIONS.symbolInUse
  exposure.isolated = isolated
  exposure.stamp = -1
  return null
}

/** FOK fills as a whole or not at all; POST_ONLY never takes what the book shows. */
function isRefusedByType({ type }: Order, { left, meetsShown, meetsOwn }: Walk): boolean {
  if (type === 'FOK') return left > 0
  return type === 'POST_ONLY' && (meetsShown || meetsOwn)
}

function newOrder(
  exchange: Exchange,
  exposure: Exposure,
  request: OrderRequest,
  price: number,
  atMs: number,
): Order {
  const { side, type, quantity, reduceOnly, clientOrderId, orderTag } = request
  return {
    id: nextId(exchange),
    exposure,
    side,
    type,
    reduceOnly,
    clientOrderId,
    orderTag,
    createdAtMs: atMs,
    price,
    valued: price === 0 ? referenceOf(exposure.market, side) : price,
    quantity,
    visible: request.visible ?? quantity,
    status: 'NEW',
    executed: 0,
    executedValue: 0,
    fee: 0,
    realizedPnl: 0,
    updatedAtMs: atMs,
    level: null,
    previous: null,
    next: null,
  }
}
