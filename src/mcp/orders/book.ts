import { larger, ONE, smaller } from '../../core/decimals.ts'
import { isObject } from '../../core/json.ts'
import { amountNumber, divided, times, toAmount } from '../../perp/amounts.ts'
import type { Side } from '../../perp/positions.ts'
import type { ToolContext } from '../tool.ts'
import type { Market } from '../views/market.ts'
import type { OrderCheck } from './check.ts'

type Level = { readonly price: bigint; readonly quantity: bigint }

/** The fill of an order at one level. */
export type Part = Level

export type Book = { readonly bids: readonly Level[]; readonly asks: readonly Level[] }

/** The fill of an order that arrives now. */
export type Fill = {
  readonly quantity: bigint
  /** In USDC. */
  readonly value: bigint
  /** The last price it reaches; null when it fills nothing. */
  readonly worst: bigint | null
  readonly parts: readonly Part[]
  /** The parts that the book offers, even where a FOK then takes none: the venue checks margin with these. */
  readonly offered: readonly Part[]
}

/** The order book of a market right now. */
export async function bookOf({ client }: ToolContext, symbol: string): Promise<Book> {
  const answer = await client.get('/api/prep/orderbook', { symbol })
  return isObject(answer)
    ? { bids: levelsOf(answer['bids']), asks: levelsOf(answer['asks']) }
    : { bids: [], asks: [] }
}

/** The side of the book an order takes from. */
export function opposite({ bids, asks }: Book, side: Side): readonly Level[] {
  return side === 'BUY' ? asks : bids
}

/** Walks the levels an order would take, as far as its limit lets it. */
export function fillOf(
  levels: readonly Level[],
  { side, quantity, limit }: { side: Side; quantity: bigint; limit: bigint | null },
): Fill {
  let left = quantity
  let value = 0n
  let worst: bigint | null = null
  const parts: Part[] = []
  for (const level of levels) {
    if (left === 0n || (limit !== null && isWorse(level.price, limit, side))) break
    const taken = smaller(left, level.quantity)
    left -= taken
    value += times(taken, level.price, 'ceil')
    worst = level.price
    if (taken > 0n) parts.push({ price: level.price, quantity: taken })
  }
  return { quantity: quantity - left, value, worst, parts, offered: parts }
}

/** How much an amount of USDC buys or sells for, at the prices of the book, and at the last one beyond it. */
export function quantityFor(levels: readonly Level[], amount: bigint, otherwise: bigint): bigint {
  let left = amount
  let quantity = 0n
  let price = otherwise
  for (const level of levels) {
    price = level.price
    const value = times(level.quantity, price, 'ceil')
    if (value >= left) break
    left -= value
    quantity += level.quantity
  }
  return price > 0n ? quantity + divided(left, price) : quantity
}

/** The furthest price a MARKET order reaches: its market's range around the mark, and its own slippage. */
export function marketLimit(
  { mark, priceRange }: Market,
  levels: readonly Level[],
  { side, slippage }: { side: Side; slippage: bigint | null },
): bigint | null {
  const best = levels[0]?.price
  const bounds = [
    ...(mark === null || priceRange === null ? [] : [worse(mark, priceRange, side)]),
    ...(best === undefined || slippage === null ? [] : [worse(best, slippage, side)]),
  ]
  const [first, ...others] = bounds
  if (first === undefined) return null
  return others.reduce(side === 'BUY' ? smaller : larger, first)
}

/**
 * Adds the problem of a POST_ONLY order that would trade, which the venue cancels, with the price one tick away from the
 * book.
 */
export function checkPostOnly(check: OrderCheck, { quoteTick }: Market, book: Book): OrderCheck {
  const { corrected } = check
  const { price, side } = corrected
  const best = opposite(book, side)[0]?.price
  if (best === undefined || price === null) return check
  if (side === 'BUY' ? price < best : price > best) return check
  const away = side === 'BUY' ? best - quoteTick : best + quoteTick
  const problem = {
    code: 'order_rejected',
    rule: 'post_only',
    reason: 'would_trade',
    parameter: 'order_price',
    given: amountNumber(price),
    limit: amountNumber(best),
    suggestion: amountNumber(away),
  } as const
  return { problems: [...check.problems, problem], corrected: { ...corrected, price: away } }
}

type OwnOrder = { readonly side: Side; readonly price: bigint; readonly left: bigint }

/** A book without the orders of one account. */
export function withoutOwn({ bids, asks }: Book, own: readonly OwnOrder[]): Book {
  const without = (levels: readonly Level[], side: Side) =>
    levels.map((level) => ({ ...level, quantity: level.quantity - restingAt(own, level, side) }))
  return { bids: without(bids, 'BUY'), asks: without(asks, 'SELL') }
}

function restingAt(own: readonly OwnOrder[], { price, quantity }: Level, side: Side): bigint {
  const here = own.filter((order) => order.side === side && order.price === price)
  return smaller(
    here.reduce((sum, { left }) => sum + left, 0n),
    quantity,
  )
}

export function worse(price: bigint, fraction: bigint, side: Side): bigint {
  return side === 'BUY' ? times(price, ONE + fraction) : times(price, ONE - fraction, 'ceil')
}

function isWorse(price: bigint, limit: bigint, side: Side): boolean {
  return side === 'BUY' ? price > limit : price < limit
}

function levelsOf(rows: unknown): readonly Level[] {
  if (!Array.isArray(rows)) return []
  return rows.filter(isObject).flatMap((row) => {
    const price = toAmount(row['price'])
    const quantity = toAmount(row['quantity'])
    return price === null || quantity === null ? [] : [{ price, quantity }]
  })
}
