import {
  BUY,
  type EngineLevel,
  type EngineMarket,
  leftQuantity,
  type SideSign,
} from '../state/state.ts'
import { visibleQuantity, worseThan } from './ladder.ts'
import { reducibleQuantity } from './walk.ts'

/** A price level and its visible quantity. */
export type Depth = { readonly price: number; readonly quantity: number }

/** The first levels of a side that show a quantity, best first. */
export function visibleDepth(market: EngineMarket, side: SideSign, count: number): Depth[] {
  const depths: Depth[] = []
  for (let level = sideLadder(market, side).best; level; level = worseThan(level)) {
    const quantity = shownAt(level)
    if (quantity > 0) depths.push({ price: level.price, quantity })
    if (depths.length === count) break
  }
  return depths
}

/** The price of the n-th level that shows a quantity, counted from 0; null if there are fewer levels. */
export function priceAt(market: EngineMarket, side: SideSign, nth: number): number | null {
  let left = nth
  for (let level = sideLadder(market, side).best; level; level = worseThan(level)) {
    if (shownAt(level) === 0) continue
    if (left === 0) return level.price
    left -= 1
  }
  return null
}

/**
 * The average price, as a fraction of ticks, of trading a value (ticks × steps) against one side of the book. `side` is
 * the side of the book: BUY means selling to the bids, SELL buying from the asks. Null if the side has less than the
 * value.
 */
export function impactPrice(market: EngineMarket, side: SideSign, value: number): number | null {
  let left = value
  let steps = 0
  for (let level = sideLadder(market, side).best; level; level = worseThan(level)) {
    const offered = shownAt(level)
    if (offered * level.price >= left) return value / (steps + left / level.price)
    left -= offered * level.price
    steps += offered
  }
  return null
}

function sideLadder({ book }: EngineMarket, side: SideSign) {
  return side === BUY ? book.bids : book.asks
}

/** The visible quantity of a level. A reduce-only order shows at most its owner's position. */
function shownAt(level: EngineLevel): number {
  if (level.reducing === 0) return level.shown
  let shown = 0
  for (let order = level.head; order; order = order.next)
    shown += order.reduceOnly
      ? Math.min(
          visibleQuantity(order),
          leftQuantity(order),
          reducibleQuantity(order.marketAccount, order.side),
        )
      : visibleQuantity(order)
  return shown
}
