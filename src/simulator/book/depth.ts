import { BUY, type Level, leftOf, type Market, type Side } from '../state/state.ts'
import { shownOf, worseThan } from './ladder.ts'
import { reducible } from './walk.ts'

/** A price and the quantity that the book shows at it. */
export type Depth = { readonly price: number; readonly quantity: number }

/** The first levels of a side with a visible quantity, best first. */
export function depthOf(market: Market, side: Side, count: number): Depth[] {
  const depths: Depth[] = []
  for (let level = ladderOf(market, side).best; level; level = worseThan(level)) {
    const quantity = shownAt(level)
    if (quantity > 0) depths.push({ price: level.price, quantity })
    if (depths.length === count) break
  }
  return depths
}

/** The price of the n-th level with a visible quantity, from 0; null when there are fewer. */
export function priceAt(market: Market, side: Side, nth: number): number | null {
  let left = nth
  for (let level = ladderOf(market, side).best; level; level = worseThan(level)) {
    if (shownAt(level) === 0) continue
    if (left === 0) return level.price
    left -= 1
  }
  return null
}

/**
 * The average price, as a fraction of ticks, of trading a value (ticks × steps) against one side: selling into the
 * bids (BUY) or buying from the asks. Null when the side holds less.
 */
export function impactPrice(market: Market, side: Side, value: number): number | null {
  let left = value
  let steps = 0
  for (let level = ladderOf(market, side).best; level; level = worseThan(level)) {
    const offered = shownAt(level)
    if (offered * level.price >= left) return value / (steps + left / level.price)
    left -= offered * level.price
    steps += offered
  }
  return null
}

function ladderOf({ book }: Market, side: Side) {
  return side === BUY ? book.bids : book.asks
}

/** The visible quantity of a level. A reduce-only order shows at most its owner's position. */
function shownAt(level: Level): number {
  if (level.reducing === 0) return level.shown
  let shown = 0
  for (let order = level.head; order; order = order.next)
    shown += order.reduceOnly
      ? Math.min(shownOf(order), leftOf(order), reducible(order.marketAccount, order.side))
      : shownOf(order)
  return shown
}
