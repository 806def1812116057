import { cancel } from '../book/open-orders.ts'
import { checkMarketSolvency, hasLeftSafeRange } from '../margin/solvency.ts'
import { checkAlgoTriggers } from '../orders/conditional/mark.ts'
import type { ExchangeState } from '../state/exchange.ts'
import { movedPrice } from '../state/markets.ts'
import { BUY, type EngineMarket } from '../state/state.ts'

/**
 * Sets a market's mark price. Cancels resting orders that are outside price_range, collects triggered algo orders, and
 * checks accounts that may be below their maintenance margin.
 */
export function setMark(
  exchange: ExchangeState,
  market: EngineMarket,
  mark: number,
  atMs: number,
): void {
  if (mark === market.mark) return
  market.mark = mark
  market.stamp += 1
  cancelOutOfRange(exchange, market, atMs)
  checkAlgoTriggers(exchange, market)
  if (hasLeftSafeRange(market)) checkMarketSolvency(exchange, market)
}

function cancelOutOfRange(exchange: ExchangeState, market: EngineMarket, atMs: number): void {
  const { book, mark, spec } = market
  for (const ladder of [book.bids, book.asks]) {
    const bound = movedPrice(mark, ladder.side, spec.priceRange)
    let best = ladder.best
    while (best?.head && (ladder.side === BUY ? best.price > bound : best.price < bound)) {
      cancel(exchange, best.head, atMs)
      best = ladder.best
    }
  }
}
