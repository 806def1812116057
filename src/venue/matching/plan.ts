import { type Exchange, leftOf, type Order, opposite, type Side } from '../exchange/state.ts'
import { larger, smaller } from '../units.ts'
import { type Offer, offersOf, reaches, reducible } from './book.ts'

/** What enters the book: buys or sells up to `quantity` at `limit` or better; null takes any price. */
export type Taker = {
  readonly accountId: string
  readonly symbol: string
  readonly side: Side
  readonly quantity: bigint
  readonly limit: bigint | null
}

/** One execution to be. `order` is the resting one, null for the seeded side. */
export type Fill = {
  readonly price: bigint
  readonly quantity: bigint
  readonly order: Order | null
  /** The resting quantity was not shown: its owner pays as a taker. */
  readonly isHidden: boolean
}

/** What would happen if the taker entered now. Nothing has happened yet. */
export type Plan = {
  readonly fills: readonly Fill[]
  /** What stays unfilled. */
  readonly left: bigint
  /** The account's own orders in the way: they are cancelled, an account never trades with itself. */
  readonly own: readonly Order[]
}

/** Walks the other side of the book by price and time. */
export function planTaker(exchange: Exchange, taker: Taker, atMs: number): Plan {
  const fills: Fill[] = []
  const own: Order[] = []
  const drifts = new Map<string, bigint>()
  const resting = opposite(taker.side)
  let left = taker.quantity
  for (const offer of offersOf(exchange, taker.symbol, resting, atMs)) {
    if (left === 0n || !isWithin(taker, offer.price)) break
    if (offer.order?.accountId === taker.accountId) {
      own.push(offer.order)
      continue
    }
    const quantity = smaller(left, availableOf(exchange, offer, drifts))
    if (quantity === 0n) continue
    fills.push(...slices(offer, quantity))
    left -= quantity
    if (offer.order) drift(drifts, offer.order, quantity)
  }
  return { fills, left, own }
}

/** The same for a whole order: a reduce-only one takes no more than its owner's position. */
export function planOrder(
  exchange: Exchange,
  taker: Taker,
  isReduceOnly: boolean,
  atMs: number,
): Plan {
  if (!isReduceOnly) return planTaker(exchange, taker, atMs)
  const quantity = smaller(taker.quantity, reducible(exchange, taker))
  const plan = planTaker(exchange, { ...taker, quantity }, atMs)
  return { ...plan, left: plan.left + taker.quantity - quantity }
}

/** An order's place in the book as a plan's taker: all that is left of it. */
export function takerOf(order: Order): Taker {
  const { accountId, symbol, side, price } = order
  return { accountId, symbol, side, quantity: leftOf(order), limit: price }
}

function isWithin({ side, limit }: Taker, price: bigint): boolean {
  return limit === null || reaches(side, limit, price)
}

/** A reduce-only order offers what its owner's position leaves, counting the fills before it in the same walk. */
function availableOf(exchange: Exchange, { order, quantity }: Offer, drifts: Drifts): bigint {
  if (!order?.reduceOnly) return quantity
  return smaller(quantity, reducible(exchange, order, drifts.get(order.accountId)))
}

type Drifts = ReadonlyMap<string, bigint>

function drift(drifts: Map<string, bigint>, { accountId, side }: Order, quantity: bigint): void {
  const change = side === 'BUY' ? quantity : -quantity
  drifts.set(accountId, (drifts.get(accountId) ?? 0n) + change)
}

/** The hidden part of an order is met before the part that is shown. */
function slices({ price, order }: Offer, quantity: bigint): Fill[] {
  const hidden = order ? smaller(quantity, larger(0n, leftOf(order) - order.visible)) : 0n
  const parts = [
    { price, quantity: hidden, order, isHidden: true },
    { price, quantity: quantity - hidden, order, isHidden: false },
  ]
  return parts.filter((part) => part.quantity > 0n)
}
