import { reaches, worseThan } from '../book/ladder.ts'
import { type Level, leftOf, type Order } from '../state.ts'
import { availableOf, opposite, type Taker } from './walk.ts'

/**
 * The quantity that a value in ticks times steps buys, or has to be sold to earn it, from the best price on and no
 * further than the limit. What the book does not offer counts at the price that values the taker.
 */
export function quantityFor(
  taker: Omit<Taker, 'quantity' | 'feeRate'>,
  value: number,
  reference: number,
): number {
  let left = value
  let quantity = 0
  for (const order of reachable(taker)) {
    const offered = availableOf(order, null)
    const taken = Math.min(offered, Math.floor(left / order.price))
    quantity += taken
    left -= taken * order.price
    if (taken < offered) return quantity
  }
  return quantity + Math.floor(left / reference)
}

/** The orders of others that a taker may meet, best and oldest first. */
function* reachable({ exposure, side, limit }: Omit<Taker, 'quantity' | 'feeRate'>) {
  let level: Level | null = opposite(exposure, side).best
  while (level && reaches(side, limit, level.price)) {
    for (let order: Order | null = level.head; order; order = order.next)
      if (order.exposure !== exposure && leftOf(order) > 0) yield order
    level = worseThan(level)
  }
}
