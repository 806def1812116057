import { smaller } from '../core/decimals.ts'
import { product } from './amounts.ts'
import { type Book, opposite } from './book.ts'
import {
  fillFromLevels,
  type ImmediateFill,
  marketLimit,
  NO_FILL,
  withoutOwnOrders,
} from './fill.ts'
import type { MarginAccount, OpenOrder } from './margin-account.ts'
import type { CheckedMarket } from './order-check.ts'
import {
  closableQuantity,
  heldQuantity,
  type MarginMode,
  type Position,
  type Side,
} from './positions.ts'

export type OrderType = 'LIMIT' | 'MARKET' | 'IOC' | 'FOK' | 'POST_ONLY' | 'ASK' | 'BID'

/** An order as the venue checks it on arrival; numbers are amounts. */
export type Order = {
  readonly side: Side
  readonly type: OrderType
  /** The price; null for MARKET, ASK and BID orders. */
  readonly price: bigint | null
  readonly quantity: bigint
  readonly reduceOnly: boolean
  /** Maximum slippage of a MARKET order from the best price, as a fraction; null: no bound. */
  readonly slippage: bigint | null
  readonly mode: MarginMode
}

/** A market's rules, mark price and order book at one moment. */
export type MarketNow = CheckedMarket & { readonly book: Book }

/**
 * The reason why an order ends unfilled on arrival: a POST_ONLY order would trade, a FOK order would fill only partly,
 * or the book has no match.
 */
export type NoFillReason = 'would_trade' | 'not_whole' | 'takes_nothing'

/** How an order matches the book on arrival. */
export type OrderMatch = {
  /**
   * The price that values the order: the order's own price, else the book's best, else the mark price; null if all are
   * unknown.
   */
  readonly reference: bigint | null
  /** The worst price at which the order executes; null for any price. */
  readonly limit: bigint | null
  /** The quantity that the order can trade: for a reduce-only order, at most the position. */
  readonly reach: bigint
  /** The fill that the book offers, even if the order then ends without a fill: the venue checks margin with this fill. */
  readonly offered: ImmediateFill
  readonly noFill: NoFillReason | null
  readonly fill: ImmediateFill
}

/** Order types whose unfilled quantity stays in the book. */
export const RESTING_TYPES: ReadonlySet<string> = new Set(['LIMIT', 'POST_ONLY', 'ASK', 'BID'])

/** The positions and open orders of an account. */
type HeldAccount = Pick<MarginAccount, 'orders'> & { readonly positions: readonly Position[] }

/** Matches an order with the current book, without the account's own open orders: an account never trades with itself. */
export function matchOrder(
  market: MarketNow,
  order: Order,
  account: HeldAccount | null,
): OrderMatch {
  const { side, type, quantity, reduceOnly } = order
  const best = opposite(market.book, side)[0]?.price ?? null
  const reference = referencePrice(market, order)
  const limit = type === 'MARKET' ? marketLimit(market, order, best ?? market.mark) : reference
  const reach =
    reduceOnly && account ? smaller(quantity, closableBy(market, order, account)) : quantity
  const own = account ? shownOrders(market, account) : []
  const offered = fillFromLevels(opposite(withoutOwnOrders(market.book, own), side), {
    side,
    quantity: reach,
    limit,
  })
  const noFill = noFillReason(order, offered, best)
  return { reference, limit, reach, offered, noFill, fill: noFill === null ? offered : NO_FILL }
}

/** An account's open orders as the market's book shows them: a reduce-only order shows at most the quantity it can close. */
function shownOrders(market: MarketNow, account: HeldAccount): readonly OpenOrder[] {
  return account.orders
    .filter(({ symbol }) => symbol === market.symbol)
    .map((own) =>
      own.reduceOnly ? { ...own, left: smaller(own.left, closableBy(market, own, account)) } : own,
    )
}

/** The quantity of the account's position that an order can close. */
export function closableBy(
  { symbol }: Pick<MarketNow, 'symbol'>,
  { side, mode }: Pick<Order, 'side' | 'mode'>,
  { positions }: Pick<HeldAccount, 'positions'>,
): bigint {
  return closableQuantity(heldQuantity(positions, symbol, mode), side)
}

/** The quantity of an order that rests in the book after its immediate fill. */
export function restingQuantity({ type }: Order, { noFill, reach, fill }: OrderMatch): bigint {
  return RESTING_TYPES.has(type) && noFill === null ? reach - fill.quantity : 0n
}

/** The match after the resting quantity has also filled, at the order's own price. */
export function withRestFilled(order: Order, match: OrderMatch): OrderMatch {
  const { fill, limit, reference } = match
  const quantity = restingQuantity(order, match)
  const price = limit ?? reference
  if (quantity <= 0n || price === null) return match
  return {
    ...match,
    fill: {
      quantity: fill.quantity + quantity,
      value: fill.value + product(quantity, price, 'ceil'),
      worst: price,
      parts: [...fill.parts, { price, quantity }],
    },
  }
}

/** The account's own orders that the order would match. The venue cancels these orders and does not match them. */
export function selfMatchedOrders(
  own: readonly OpenOrder[],
  { side }: Pick<Order, 'side'>,
  { reach, limit, fill, noFill }: OrderMatch,
): readonly OpenOrder[] {
  if (noFill === 'would_trade' || noFill === 'not_whole') return []
  const isOpen = fill.quantity < reach
  const until = isOpen ? limit : fill.worst
  return own.filter((order) => {
    if (order.side === side) return false
    if (until === null) return isOpen
    const within = side === 'BUY' ? until - order.price : order.price - until
    // After a complete fill, an own order at the last price is left out: its queue position is unknown.
    return isOpen ? within >= 0n : within > 0n
  })
}

/**
 * The price for valuing an order: the order's own price, else the best price in the book, else the mark price; null if
 * all are unknown. An ASK or BID order never uses the mark price.
 */
export function referencePrice(
  { book, mark }: Pick<MarketNow, 'book' | 'mark'>,
  { side, type, price }: Pick<Order, 'side' | 'type' | 'price'>,
): bigint | null {
  if (price !== null) return price
  if (type === 'ASK') return book.asks[0]?.price ?? null
  if (type === 'BID') return book.bids[0]?.price ?? null
  return opposite(book, side)[0]?.price ?? mark
}

function noFillReason(
  { side, type, price, quantity }: Order,
  offered: ImmediateFill,
  best: bigint | null,
): NoFillReason | null {
  if (type === 'POST_ONLY') {
    const crosses =
      price !== null && best !== null && (side === 'BUY' ? price >= best : price <= best)
    return crosses ? 'would_trade' : null
  }
  if (type === 'FOK' && offered.quantity < quantity) return 'not_whole'
  return RESTING_TYPES.has(type) || offered.quantity > 0n ? null : 'takes_nothing'
}
