import {
  divided,
  marketOf,
  ONE,
  openOrders,
  positionOf,
  type Reference,
  type RefPosition,
} from './book.ts'
import { moved } from './filters.ts'
import { isCovered } from './margin.ts'

/** Moves the mark: resting orders beyond price_range go. */
export function setMark(ref: Reference, market: number, mark: bigint): void {
  const moving = marketOf(ref, market)
  moving.mark = mark
  for (const order of openOrders(ref, undefined, market)) {
    const bound = moved(mark, order.side, BigInt(moving.spec.priceRange))
    if (order.side === 1 ? order.price > bound : order.price < bound) order.status = 'CANCELLED'
  }
}

/** Charges every position mark × rate, rounded up. */
export function chargeFunding(ref: Reference, market: number, rate: bigint): void {
  const { spec, mark } = marketOf(ref, market)
  const unitary = divided(mark * BigInt(spec.tick) * rate, ONE, 'floor')
  for (const owner of ref.holdings.keys()) {
    const position = positionOf(ref, owner, market)
    const charge = unitary * position.quantity * BigInt(spec.step)
    position.cost += divided(charge, 10_000_000_000n, 'ceil')
  }
}

/** Sets the leverage of cross or isolated positions: null, or the name of the refusal. */
export function setLeverage(
  ref: Reference,
  owner: number,
  market: number,
  leverage: number,
  isolated: boolean,
) {
  const { spec } = marketOf(ref, market)
  if (leverage > Math.floor(1e8 / spec.baseImr)) return 'parameter'
  const position = positionOf(ref, owner, market)
  if (position.isolated !== isolated) {
    position.spareLeverage = leverage
    return null
  }
  const isUsed = !isIdle(ref, owner, market) || ref.hasAlgos(owner, market)
  if (isolated && isUsed) return 'parameter'
  const before = position.leverage
  position.leverage = leverage
  if (isCovered(ref, owner)) return null
  position.leverage = before
  return 'risk'
}

/** Whether an account uses a market for nothing, or at most for algo orders. */
export function isIdle(ref: Reference, owner: number, market: number): boolean {
  const { quantity, cost } = positionOf(ref, owner, market)
  return quantity === 0n && cost === 0n && openOrders(ref, owner, market).length === 0
}

/** Each margin mode has a leverage of its own. */
export function switchMode(position: RefPosition): void {
  const { leverage, spareLeverage } = position
  position.isolated = !position.isolated
  position.leverage = spareLeverage
  position.spareLeverage = leverage
}
