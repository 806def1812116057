import { isObject, rowsAt } from '../core/json.ts'
import { toAmount } from './amounts.ts'
import type { Side } from './positions.ts'

/** A price level of the book, and the quantity that is offered there. */
export type Level = { readonly price: bigint; readonly quantity: bigint }

/** Both sides of an order book, the best price first. */
export type Book = { readonly bids: readonly Level[]; readonly asks: readonly Level[] }

/** The order book in an answer to `GET /api/prep/orderbook`; empty for any other answer. Numbers may be strings. */
export function parseBook(answer: unknown): Book {
  return { bids: levels(answer, 'bids'), asks: levels(answer, 'asks') }
}

function levels(answer: unknown, side: 'bids' | 'asks'): readonly Level[] {
  return rowsAt(isObject(answer) ? answer : {}, side).flatMap((row) => {
    const [price, quantity] = [toAmount(row['price']), toAmount(row['quantity'])]
    return price === null || quantity === null ? [] : [{ price, quantity }]
  })
}

/** The side of the book that an order would trade with: asks for a BUY, bids for a SELL. */
export function opposite({ bids, asks }: Book, side: Side): readonly Level[] {
  return side === 'BUY' ? asks : bids
}
