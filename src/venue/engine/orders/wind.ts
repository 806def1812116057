import type { Exchange } from '../exchange.ts'
import { watch } from '../margin/solvency.ts'
import { fillPosition } from '../positions/fill.ts'
import type { Market } from '../state.ts'
import { cancel } from './open.ts'

/** Cancels every order that rests in a market. */
export function cancelAll(exchange: Exchange, { book }: Market, atMs: number): void {
  for (const ladder of [book.bids, book.asks])
    for (let order = ladder.best?.head; order; order = ladder.best?.head)
      cancel(exchange, order, atMs)
}

/** Closes a market: its orders are cancelled, and every position is closed at the mark, without a fee. */
export function wind(exchange: Exchange, market: Market, atMs: number): void {
  cancelAll(exchange, market, atMs)
  const { mark } = market
  for (const exposure of [...market.holders]) {
    fillPosition(exchange, exposure, { quantity: -exposure.quantity, price: mark, fee: 0, atMs })
    watch(exchange, exposure.account)
  }
}
