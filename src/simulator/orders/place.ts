import { priceAt } from '../book/depth.ts'
import { execute } from '../book/execute.ts'
import { addToBook } from '../book/ladder.ts'
import { addOpenOrder, beginOrder, cancel, changePending } from '../book/open-orders.ts'
import { quantityForValue, reducibleQuantity, type Walk, walkBook } from '../book/walk.ts'
import { checkAfterFrozenChange } from '../margin/solvency.ts'
import { isIsolatedByDefault, openMarketAccount } from '../state/accounts.ts'
import { type ExchangeState, nextEngineId } from '../state/exchange.ts'
import { movedPrice } from '../state/markets.ts'
import { REJECTIONS, Rejection } from '../state/rejections.ts'
import {
  BUY,
  type EngineMarket,
  type EngineOrder,
  isOpen,
  leftQuantity,
  type MarketAccount,
  SELL,
  type SideSign,
} from '../state/state.ts'
import { checkAdmission, checkFilters, checkMargin } from './checks.ts'
import { enumFeeRate, type OrderRequest, REST_STAYS_IN_BOOK } from './request.ts'

/**
 * Accepts an order and matches it with the book. Returns the order, which then rests, is filled or is cancelled; or the
 * rejection, which changes nothing.
 */
export function placeOrder(
  exchange: ExchangeState,
  request: OrderRequest,
  atMs: number,
): EngineOrder | Rejection {
  const { account, market } = request
  const isolated = request.isolated ?? isIsolatedByDefault(account, market)
  const marketAccount = openMarketAccount(account, market, isolated)
  const price = acceptedPrice(request)
  if (price instanceof Rejection) return price
  const limit = price === 0 ? marketLimit(request) : price
  const sized =
    request.amount === null
      ? request
      : requestWithQuantity(request.amount, request, marketAccount, limit)
  const refused = checkRequest(sized, marketAccount, price)
  if (refused) return refused
  const order = newOrder(nextEngineId(exchange), marketAccount, sized, price, atMs)
  const planned = walkOrder(order, limit)
  changePending(order, order.quantity)
  const uncovered = order.reduceOnly ? null : checkMargin(marketAccount, planned.cost)
  if (uncovered) {
    changePending(order, -order.quantity)
    return uncovered
  }
  beginOrder(exchange, order)
  checkAfterFrozenChange(exchange, marketAccount)
  enterNew(exchange, order, planned, { fillShare: sized.fillShare, limit, atMs })
  if (order.level) addOpenOrder(order)
  return order
}

/** The request, with its amount in USDC converted to a quantity. */
function requestWithQuantity(
  amount: number,
  request: OrderRequest,
  marketAccount: MarketAccount,
  limit: number,
): OrderRequest {
  const { market, side, type } = request
  const value = Math.floor(amount / market.spec.unit)
  const reference = type === 'MARKET' ? valuationPrice(market, side) : limit
  const quantity =
    type === 'MARKET'
      ? quantityForValue({ marketAccount, side, limit }, value, reference)
      : Math.floor(value / reference)
  return { ...request, quantity }
}

/** Matches a new order with the book. A partial-fill fault fills only a part of it and cancels the rest. */
function enterNew(
  exchange: ExchangeState,
  order: EngineOrder,
  planned: Walk,
  { fillShare = 1, limit, atMs }: Pick<OrderRequest, 'fillShare'> & Taking,
): void {
  const taken = leftQuantity(order) - planned.left
  const isWhole = fillShare === 1 || taken === 0 || order.type === 'FOK'
  if (isWhole || isRefusedByType(order, planned)) enterOrder(exchange, order, planned, limit, atMs)
  else {
    execute(exchange, order, Math.max(1, Math.floor(taken * fillShare)), limit, atMs)
    if (isOpen(order)) cancel(exchange, order, atMs)
  }
}

type Taking = { readonly limit: number; readonly atMs: number }

/**
 * Matches an open order with the book. The order's type decides whether the unfilled rest stays in the book or is
 * cancelled.
 */
export function enterOrder(
  exchange: ExchangeState,
  order: EngineOrder,
  planned: Walk,
  limit: number,
  atMs: number,
): void {
  const isRefused = isRefusedByType(order, planned)
  const meets = planned.left < leftQuantity(order) || planned.meetsOwn
  if (meets && !isRefused) execute(exchange, order, fillableQuantity(order), limit, atMs)
  if (!isOpen(order)) return
  if (REST_STAYS_IN_BOOK[order.type] && !isRefused) addToBook(restingLadder(order), order)
  else cancel(exchange, order, atMs)
}

/** The result of matching an order now. Changes nothing. */
export function walkOrder(order: EngineOrder, limit: number): Walk {
  const quantity = fillableQuantity(order)
  const planned = walkBook(order, quantity, limit)
  planned.left += leftQuantity(order) - quantity
  return planned
}

/** The quantity of an order that may fill. A reduce-only order is limited to its owner's position. */
function fillableQuantity(order: EngineOrder): number {
  const left = leftQuantity(order)
  return order.reduceOnly
    ? Math.min(left, reducibleQuantity(order.marketAccount, order.side))
    : left
}

/** The side of the book in which an order rests. */
function restingLadder({ marketAccount, side }: EngineOrder) {
  const { book } = marketAccount.market
  return side === BUY ? book.bids : book.asks
}

function checkRequest(
  request: OrderRequest,
  marketAccount: MarketAccount,
  price: number,
): Rejection | null {
  const { market, side, quantity, visible, reduceOnly } = request
  const closable = reducibleQuantity(marketAccount, side)
  const reference = price === 0 ? valuationPrice(market, side) : price
  const isFullClose = reduceOnly && closable > 0 && quantity >= closable
  return (
    checkFilters({ market, side, price, reference, quantity, visible, isFullClose }) ??
    checkAdmission(request, marketAccount)
  )
}

/**
 * Whether the order's type forbids the planned fills. A FOK order must fill completely, and a POST_ONLY order must meet
 * no visible order.
 */
function isRefusedByType({ type }: EngineOrder, { left, meetsShown, meetsOwn }: Walk): boolean {
  if (type === 'FOK') return left > 0
  return type === 'POST_ONLY' && (meetsShown || meetsOwn)
}

type Terms = Pick<
  OrderRequest,
  'side' | 'type' | 'quantity' | 'visible' | 'amount' | 'reduceOnly' | 'clientOrderId' | 'orderTag'
>

/** A new order without fills that is not in the book. */
export function newOrder(
  id: number,
  marketAccount: MarketAccount,
  terms: Terms,
  price: number,
  atMs: number,
): EngineOrder {
  const { side, type, quantity, amount, reduceOnly, clientOrderId, orderTag } = terms
  return {
    id,
    marketAccount,
    side,
    type,
    reduceOnly,
    clientOrderId,
    orderTag,
    createdAtMs: atMs,
    amount,
    enumRate: enumFeeRate(orderTag, marketAccount.market.spec) ?? 0,
    // `level` is beside the fields that are read together with it, because a book does not fit into processor caches.
    level: null,
    price,
    valued: price === 0 ? valuationPrice(marketAccount.market, side) : price,
    quantity,
    visible: terms.visible ?? quantity,
    status: 'NEW',
    executed: 0,
    executedValue: 0,
    fee: 0,
    realizedPnl: 0,
    updatedAtMs: atMs,
    previous: null,
    next: null,
    older: null,
    newer: null,
  }
}

/** The price that a request has when it is accepted; 0 for MARKET. */
function acceptedPrice(request: OrderRequest): number | Rejection {
  const { type, price, market, level } = request
  if (type === 'MARKET') return 0
  if (type === 'ASK' || type === 'BID')
    return priceAt(market, type === 'ASK' ? SELL : BUY, level) ?? REJECTIONS.noPrice
  return request.adjusts ? steppedBack(request) : price
}

/**
 * The worst price at which a MARKET order may execute. It is limited by price_range around the mark price, and by the
 * order's slippage from the best opposite price.
 */
function marketLimit({ market, side, slippage }: OrderRequest): number {
  const limit = movedPrice(market.mark, side, market.spec.priceRange)
  if (slippage === null) return limit
  const slipped = movedPrice(valuationPrice(market, side), side, slippage)
  return side === BUY ? Math.min(limit, slipped) : Math.max(limit, slipped)
}

/** The price that values a MARKET order: the best opposite price, otherwise the mark price. */
function valuationPrice(market: EngineMarket, side: SideSign): number {
  return priceAt(market, side === BUY ? SELL : BUY, 0) ?? market.mark
}

function steppedBack({ market, side, price }: OrderRequest): number {
  const best = priceAt(market, side === BUY ? SELL : BUY, 0)
  if (best === null) return price
  return side === BUY ? Math.min(price, best - 1) : Math.max(price, best + 1)
}
