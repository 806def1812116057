import {
  type Consumed,
  type Exchange,
  leftOf,
  type Order,
  type Side,
  type Sides,
} from '../exchange/state.ts'
import type { Book, Level } from '../market/feed.ts'
import { absolute, smaller } from '../units.ts'

/** Liquidity a taker can meet: a user's order, or, without one, a seeded level. */
export type Offer = {
  readonly price: bigint
  /** Of an order: all that is left of it, shown or not. */
  readonly quantity: bigint
  readonly order: Order | null
}

/** The resting orders of users in a market, best first. */
export function restingOf({ books }: Exchange, symbol: string): Sides<Order[]> {
  const known = books.get(symbol)
  if (known) return known
  const sides = { BUY: [], SELL: [] }
  books.set(symbol, sides)
  return sides
}

/** Puts an order into the book, behind everything that is as good and older. */
export function rest(exchange: Exchange, order: Order): void {
  const queue = restingOf(exchange, order.symbol)[order.side]
  const place = queue.findIndex((other) => isBefore(order, other))
  queue.splice(place === -1 ? queue.length : place, 0, order)
}

/** Takes an order out of the book, if it is in it. */
export function unrest(exchange: Exchange, order: Order): void {
  const queue = restingOf(exchange, order.symbol)[order.side]
  const place = queue.indexOf(order)
  if (place !== -1) queue.splice(place, 1)
}

/** Whether a price is at least as good for its owner's counterpart: bids at or above, asks at or below. */
export function reaches(side: Side, price: bigint, limit: bigint): boolean {
  return side === 'BUY' ? price >= limit : price <= limit
}

/** The seeded levels of one side, best first, less what users have taken from them in this bucket. */
export function seededLevels(
  exchange: Exchange,
  symbol: string,
  side: Side,
  atMs: number,
): readonly Level[] {
  const book = exchange.feed.book(symbol, atMs)
  const taken = consumedOf(exchange, symbol, atMs).taken[side]
  const levels = side === 'BUY' ? book.bids : book.asks
  if (taken.length === 0) return levels
  const takenAt = new Map(taken.map(({ price, quantity }) => [price, quantity]))
  return levels
    .map(({ price, quantity }) => ({ price, quantity: quantity - (takenAt.get(price) ?? 0n) }))
    .filter(({ quantity }) => quantity > 0n)
}

/** Notes that a user took seeded liquidity. It is stored, or a restart would offer it again. */
export function consume(
  exchange: Exchange,
  symbol: string,
  side: Side,
  { price, quantity }: Level,
  atMs: number,
): void {
  const consumed = consumedOf(exchange, symbol, atMs)
  const taken = consumed.taken[side].find((level) => level.price === price)
  if (taken) taken.quantity += quantity
  else consumed.taken[side].push({ price, quantity })
  exchange.journal.put('consumed', symbol, consumed)
}

/**
 * One side of the whole book by price, then age: users' orders and seeded levels. A seeded level is as old as its
 * bucket, so at one price it stands behind orders from before and ahead of orders placed since.
 */
export function* offersOf(
  exchange: Exchange,
  symbol: string,
  side: Side,
  atMs: number,
): Generator<Offer> {
  const bucketStartMs = bucketOf(exchange, atMs) * exchange.feed.bucketMs
  const orders = restingOf(exchange, symbol)[side].slice()
  for (const level of seededLevels(exchange, symbol, side, atMs)) {
    for (let [order] = orders; order && precedes(order, level, bucketStartMs); [order] = orders) {
      yield offerOf(order)
      orders.shift()
    }
    yield { ...level, order: null }
  }
  for (const order of orders) yield offerOf(order)
}

/** The book as the public sees it: hidden quantities left out, equal prices added up, best first. */
export function visibleBook(exchange: Exchange, symbol: string, atMs: number): Book {
  return {
    bids: visibleLevels(exchange, symbol, 'BUY', atMs),
    asks: visibleLevels(exchange, symbol, 'SELL', atMs),
  }
}

/**
 * How much of its owner's position an order on this side could close, given what the position will have changed by
 * (`drift`) before it is met.
 */
export function reducible(
  { accounts }: Exchange,
  { accountId, symbol, side }: Pick<Order, 'accountId' | 'symbol' | 'side'>,
  drift = 0n,
): bigint {
  const quantity = (accounts.get(accountId)?.positions.get(symbol)?.quantity ?? 0n) + drift
  const closes = side === 'SELL' ? quantity > 0n : quantity < 0n
  return closes ? absolute(quantity) : 0n
}

function visibleLevels(exchange: Exchange, symbol: string, side: Side, atMs: number): Level[] {
  const levels = new Map<bigint, bigint>()
  for (const { price, quantity, order } of offersOf(exchange, symbol, side, atMs)) {
    const shown = order ? shownOf(exchange, order) : quantity
    if (shown > 0n) levels.set(price, (levels.get(price) ?? 0n) + shown)
  }
  return Array.from(levels, ([price, quantity]) => ({ price, quantity }))
}

/** How much of a resting order the book shows. */
function shownOf(exchange: Exchange, order: Order): bigint {
  const shown = smaller(order.visible, leftOf(order))
  return order.reduceOnly ? smaller(shown, reducible(exchange, order)) : shown
}

function isBefore(a: Order, b: Order): boolean {
  const [price, other] = [a.price ?? 0n, b.price ?? 0n]
  if (price !== other) return reaches(a.side, price, other)
  return a.priority < b.priority
}

function precedes(order: Order, level: Level, bucketStartMs: number): boolean {
  const price = order.price ?? 0n
  if (price !== level.price) return reaches(order.side, price, level.price)
  return order.restedAtMs < bucketStartMs
}

function offerOf(order: Order): Offer {
  return { price: order.price ?? 0n, quantity: leftOf(order), order }
}

function bucketOf({ feed }: Exchange, atMs: number): number {
  return Math.floor(atMs / feed.bucketMs)
}

function consumedOf(exchange: Exchange, symbol: string, atMs: number): Consumed {
  const bucket = bucketOf(exchange, atMs)
  const known = exchange.consumed.get(symbol)
  if (known?.bucket === bucket) return known
  const fresh = { symbol, bucket, taken: { BUY: [], SELL: [] } }
  exchange.consumed.set(symbol, fresh)
  return fresh
}
