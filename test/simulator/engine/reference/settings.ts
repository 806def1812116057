import {
  divided,
  marketOf,
  modeOf,
  ONE,
  openOrders,
  positionOf,
  type Reference,
  type Slot,
  slotsOf,
} from './book.ts'
import { moved } from './filters.ts'
import { isCovered } from './margin.ts'

/** Moves the mark: resting orders beyond price_range go. */
export function setMark(ref: Reference, market: number, mark: bigint): void {
  const moving = marketOf(ref, market)
  moving.mark = mark
  for (const order of openOrders(ref, { market })) {
    const bound = moved(mark, order.side, BigInt(moving.spec.priceRange))
    if (order.side === 1 ? order.price > bound : order.price < bound) order.status = 'CANCELLED'
  }
}

/** Charges every position mark × rate, rounded up. */
export function chargeFunding(ref: Reference, market: number, rate: bigint): void {
  const { spec, mark } = marketOf(ref, market)
  const unitary = divided(mark * BigInt(spec.tick) * rate, ONE, 'floor')
  for (const slot of [...ref.holdings.keys()].flatMap((owner) => slotsOf(owner, market))) {
    const position = positionOf(ref, slot)
    const charge = unitary * position.quantity * BigInt(spec.step)
    position.cost += divided(charge, 10_000_000_000n, 'ceil')
  }
}

/** Sets the leverage of a market in one mode: null, or the name of the refusal. */
export function setLeverage(ref: Reference, slot: Slot, leverage: number): string | null {
  const { spec } = marketOf(ref, slot.market)
  if (leverage > Math.floor(1e8 / spec.baseImr)) return 'parameter'
  if (slot.isolated && isInUse(ref, slot)) return 'parameter'
  const position = positionOf(ref, slot)
  const before = position.leverage
  position.leverage = leverage
  if (isCovered(ref, slot)) return null
  position.leverage = before
  return 'risk'
}

/** Sets the mode of orders that name none: null, or the name of the refusal. */
export function setMode(ref: Reference, { owner, market, isolated }: Slot): string | null {
  const now = modeOf(ref, { owner, market, isolated: null })
  if (now === isolated) return null
  if (isInUse(ref, { owner, market, isolated: now })) return 'parameter'
  if (isolated) ref.isolatedByDefault.add(`${owner}/${market}`)
  else ref.isolatedByDefault.delete(`${owner}/${market}`)
  return null
}

function isInUse(ref: Reference, slot: Slot): boolean {
  const { quantity } = positionOf(ref, slot)
  return quantity !== 0n || openOrders(ref, slot).length > 0 || ref.hasAlgos(slot)
}
