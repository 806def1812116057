import { addPrice, priceAbove, priceBelow, removePrice } from '../base/price-set.ts'
import { clearAt, putAt, valueAt } from '../base/price-table.ts'
import {
  BUY,
  type EngineLevel,
  type EngineOrder,
  type Ladder,
  leftQuantity,
  type SideSign,
} from '../state/state.ts'

/** Whether `price` reaches `limit`: for a bid, at or above it; for an ask, at or below it. */
export function isAtLimit(side: SideSign, price: number, limit: number): boolean {
  return side === BUY ? price >= limit : price <= limit
}

/** Adds an order to the book behind all orders at the same price. */
export function addToBook(ladder: Ladder, order: EngineOrder): void {
  const level = valueAt(ladder.levels, order.price) ?? open(ladder, order.price)
  order.level = level
  order.previous = level.tail
  if (level.tail) level.tail.next = order
  else level.head = order
  level.tail = order
  level.shown += visibleQuantity(order)
  if (order.reduceOnly) level.reducing += 1
  ladder.orders += 1
}

/** Removes an order from the book if it rests there. */
export function removeFromBook(order: EngineOrder): void {
  const { level, previous, next } = order
  if (!level) return
  if (previous) previous.next = next
  else level.head = next
  if (next) next.previous = previous
  else level.tail = previous
  level.shown -= visibleQuantity(order)
  if (order.reduceOnly) level.reducing -= 1
  level.ladder.orders -= 1
  order.level = null
  order.previous = null
  order.next = null
  if (!level.head) close(level)
}

/**
 * The level with the next worse price; null after the last level. Also works for a level whose last order has just
 * left.
 */
export function worseThan({ head, worse, ladder, price }: EngineLevel): EngineLevel | null {
  if (head) return worse
  const next =
    ladder.side === BUY
      ? priceBelow(ladder.prices, price - 1)
      : priceAbove(ladder.prices, price + 1)
  return next === -1 ? null : valueAt(ladder.levels, next)
}

/** The resting orders of a side: best price first, oldest first at a price. */
export function restingOrders({ best }: Ladder): EngineOrder[] {
  const orders: EngineOrder[] = []
  for (let level = best; level; level = worseThan(level))
    for (let order = level.head; order; order = order.next) orders.push(order)
  return orders
}

/** The visible quantity of a resting order. A reduce-only order is not limited to its owner's position here. */
export function visibleQuantity(order: EngineOrder): number {
  const left = leftQuantity(order)
  return Math.min(order.visible, left)
}

function open(ladder: Ladder, price: number): EngineLevel {
  const better = betterThan(ladder, price)
  const worse = better ? better.worse : ladder.best
  const level = { price, ladder, head: null, tail: null, shown: 0, reducing: 0, better, worse }
  putAt(ladder.levels, price, level)
  addPrice(ladder.prices, price)
  if (better) better.worse = level
  else ladder.best = level
  if (worse) worse.better = level
  return level
}

/** The nearest better level for a price that has no level yet; null if the price is the best. */
function betterThan({ best, side, prices, levels }: Ladder, price: number): EngineLevel | null {
  if (!best || isAtLimit(side, price, best.price)) return null
  const next = side === BUY ? priceAbove(prices, price) : priceBelow(prices, price)
  return valueAt(levels, next)
}

function close({ ladder, price, better, worse }: EngineLevel): void {
  removePrice(ladder.prices, price)
  clearAt(ladder.levels, price)
  if (better) better.worse = worse
  else ladder.best = worse
  if (worse) worse.better = better
}
