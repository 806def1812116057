import { larger, ONE, smaller } from '../core/decimals.ts'
import { product, quotient } from './amounts.ts'
import type { Book, Level } from './book.ts'
import type { CheckedMarket } from './order-check.ts'
import type { Side } from './positions.ts'

/** The part of an order that fills at once. */
export type ImmediateFill = {
  readonly quantity: bigint
  /** The value of the fill in USDC. */
  readonly value: bigint
  /** The worst price of the fill; null if nothing fills. */
  readonly worst: bigint | null
  readonly parts: readonly Level[]
}

export const NO_FILL: ImmediateFill = { quantity: 0n, value: 0n, worst: null, parts: [] }

/** The terms of an order that takes from the book. `limit` is its worst acceptable price; null accepts any price. */
type Taker = { readonly side: Side; readonly quantity: bigint; readonly limit: bigint | null }

/** The fill of an order against these levels, which are sorted best price first. */
export function fillFromLevels(
  offered: readonly Level[],
  { side, quantity, limit }: Taker,
): ImmediateFill {
  let [left, value] = [quantity, 0n]
  const parts: Level[] = []
  for (const { price, quantity: shown } of offered) {
    if (left === 0n || (limit !== null && isBeyond(price, limit, side))) break
    const taken = smaller(left, shown)
    if (taken <= 0n) continue
    left -= taken
    value += product(taken, price, 'ceil')
    parts.push({ price, quantity: taken })
  }
  return { quantity: quantity - left, value, worst: parts.at(-1)?.price ?? null, parts }
}

/**
 * The quantity that an amount of USDC buys or sells at the book's prices. The part beyond the book counts at its last
 * price, and with an empty book all counts at `otherwise`.
 */
export function quantityForAmount(
  offered: readonly Level[],
  amount: bigint,
  otherwise: bigint,
): bigint {
  let [left, quantity, price] = [amount, 0n, otherwise]
  for (const level of offered) {
    price = level.price
    const value = product(level.quantity, price, 'ceil')
    if (value >= left) break
    left -= value
    quantity += level.quantity
  }
  return quantity + quotient(left, price)
}

/**
 * The worst price at which a MARKET order may execute; null if unknown. It is the stricter of two bounds: the market's
 * range around the mark price, and the order's slippage from the best price.
 */
export function marketLimit(
  { mark, priceRange }: Pick<CheckedMarket, 'mark' | 'priceRange'>,
  order: { readonly side: Side; readonly slippage: bigint | null },
  best: bigint | null,
): bigint | null {
  const { side, slippage } = order
  const ranged = mark === null || priceRange === null ? null : worsenedPrice(mark, priceRange, side)
  const slipped = best === null || slippage === null ? null : worsenedPrice(best, slippage, side)
  if (ranged === null || slipped === null) return ranged ?? slipped
  return side === 'BUY' ? smaller(ranged, slipped) : larger(ranged, slipped)
}

/** A price moved by a fraction against the order's owner: up for a BUY, down for a SELL. */
function worsenedPrice(price: bigint, fraction: bigint, side: Side): bigint {
  return side === 'BUY' ? product(price, ONE + fraction) : product(price, ONE - fraction, 'ceil')
}

type OwnOrder = { readonly side: Side; readonly price: bigint; readonly left: bigint }

/** A book without the account's own open orders, because the venue never matches two orders of an account. */
export function withoutOwnOrders({ bids, asks }: Book, own: readonly OwnOrder[]): Book {
  const others = (shown: readonly Level[], side: Side) => {
    const resting = restingQuantities(own, side)
    return shown.map(({ price, quantity }) => ({
      price,
      quantity: larger(0n, quantity - (resting.get(price) ?? 0n)),
    }))
  }
  return { bids: others(bids, 'BUY'), asks: others(asks, 'SELL') }
}

function restingQuantities(own: readonly OwnOrder[], side: Side): ReadonlyMap<bigint, bigint> {
  const quantities = new Map<bigint, bigint>()
  for (const { price, left, side: of } of own)
    if (of === side) quantities.set(price, (quantities.get(price) ?? 0n) + left)
  return quantities
}

function isBeyond(price: bigint, limit: bigint, side: Side): boolean {
  return side === 'BUY' ? price > limit : price < limit
}
