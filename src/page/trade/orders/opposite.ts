import type { Order } from '../account/rows.ts'
import { withoutOwn } from '../market/book.ts'
import type { Book } from '../market/rows.ts'
import type { Side } from './check.ts'

/** The other side of the book for an order: its best price, and what others than the account offer. */
export function oppositeOf(book: Book, orders: readonly Order[], symbol: string, side: Side) {
  const levels = side === 'BUY' ? book.asks : book.bids
  const own = orders
    .filter((order) => order.symbol === symbol && order.side !== side)
    .map(({ price, size, executed }) => ({ price: price ?? 0n, size: size - executed }))
  return { best: levels[0]?.price ?? null, opposite: withoutOwn(levels, own) }
}
