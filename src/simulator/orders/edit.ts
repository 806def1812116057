import { removeFromBook, visibleQuantity } from '../book/ladder.ts'
import { changePending, publishOrder } from '../book/open-orders.ts'
import { reducibleQuantity } from '../book/walk.ts'
import { checkAfterFrozenChange } from '../margin/solvency.ts'
import type { ExchangeState } from '../state/exchange.ts'
import { REJECTIONS, type Rejection } from '../state/rejections.ts'
import { type EngineOrder, isOpen, leftQuantity } from '../state/state.ts'
import { checkFilters, checkMargin, checkStatus } from './checks.ts'
import { enterOrder, walkOrder } from './place.ts'

/** The new price and the new total quantity of an order. */
export type OrderChange = { readonly price: number; readonly quantity: number }

/**
 * Changes an open order and matches it again. The order keeps its place in the queue only if the price stays and the
 * quantity does not grow. Returns null, or the rejection, which leaves the order unchanged.
 */
export function editOrder(
  exchange: ExchangeState,
  order: EngineOrder,
  change: OrderChange,
  atMs: number,
): Rejection | null {
  if (!isOpen(order)) return REJECTIONS.notFound
  const broken = checkChange(order, change)
  if (broken) return broken
  const { price, quantity, visible } = order
  const shown = order.level ? visibleQuantity(order) : 0
  apply(order, change.price, change.quantity, visibleAfter(order, change.quantity))
  const planned = walkOrder(order, order.price)
  const uncovered = order.reduceOnly ? null : checkMargin(order.marketAccount, planned.cost)
  if (uncovered) {
    apply(order, price, quantity, visible)
    return uncovered
  }
  checkAfterFrozenChange(exchange, order.marketAccount)
  order.updatedAtMs = atMs
  publishOrder(exchange, order)
  if (order.level) order.level.shown += visibleQuantity(order) - shown
  if (change.price === price && change.quantity <= quantity) return null
  removeFromBook(order)
  enterOrder(exchange, order, planned, order.price, atMs)
  return null
}

function checkChange(order: EngineOrder, { price, quantity }: OrderChange): Rejection | null {
  const { marketAccount, side, type, reduceOnly } = order
  const left = quantity - order.executed
  const isFullClose = reduceOnly && left >= reducibleQuantity(marketAccount, side)
  const visible = visibleAfter(order, quantity)
  const { market } = marketAccount
  const closed = checkStatus({ market, type, reduceOnly })
  if (closed) return closed
  const broken = checkFilters({
    market,
    side,
    price,
    reference: price,
    quantity,
    visible,
    isFullClose,
  })
  return broken ?? (left <= 0 ? REJECTIONS.executed : null)
}

/** The visible quantity after a change. A fully visible order stays fully visible. */
function visibleAfter(order: EngineOrder, quantity: number): number {
  return order.visible === order.quantity ? quantity : Math.min(order.visible, quantity)
}

/** Changes the order, and the pending sums of its account. */
function apply(order: EngineOrder, price: number, quantity: number, visible: number): void {
  changePending(order, -leftQuantity(order))
  order.price = price
  order.valued = price
  order.quantity = quantity
  order.visible = visible
  changePending(order, leftQuantity(order))
}
