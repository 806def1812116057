import type { Market } from '../views/market.ts'
import { amountNumber } from './amounts.ts'
import { type Book, opposite } from './book.ts'
import type { OrderCheck } from './check.ts'

/**
 * A POST_ONLY order that would trade is cancelled as it arrives. Adds that to what was found of the order, with the
 * price one tick away from the book.
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
    parameter: 'order_price',
    given: amountNumber(price),
    limit: amountNumber(best),
    suggestion: amountNumber(away),
  } as const
  return { problems: [...check.problems, problem], corrected: { ...corrected, price: away } }
}
