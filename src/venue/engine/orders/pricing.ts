import { priceAt } from '../book/depth.ts'
import { movedPrice } from '../markets.ts'
import { REJECTIONS, type Rejection } from '../rejections.ts'
import { BUY, type Market, SELL, type Side } from '../state.ts'
import type { OrderRequest } from './request.ts'

/** The price of a request at its acceptance; zero for MARKET. */
export function priceOf(request: OrderRequest): number | Rejection {
  const { type, price, market, level } = request
  if (type === 'MARKET') return 0
  if (type === 'ASK' || type === 'BID')
    return priceAt(market, type === 'ASK' ? SELL : BUY, level) ?? REJECTIONS.noPrice
  return request.adjusts ? steppedBack(request) : price
}

/**
 * The worst price a MARKET order may execute at: as far as price_range around the mark allows, and no further than its
 * slippage from the best opposite price.
 */
export function marketLimit({ market, side, slippage }: OrderRequest): number {
  const limit = movedPrice(market.mark, side, market.spec.priceRange)
  if (slippage === null) return limit
  const slipped = movedPrice(referenceOf(market, side), side, slippage)
  return side === BUY ? Math.min(limit, slipped) : Math.max(limit, slipped)
}

/** The price that values a MARKET order: the best opposite one, or the mark. */
export function referenceOf(market: Market, side: Side): number {
  return priceAt(market, side === BUY ? SELL : BUY, 0) ?? market.mark
}

function steppedBack({ market, side, price }: OrderRequest): number {
  const best = priceAt(market, side === BUY ? SELL : BUY, 0)
  if (best === null) return price
  return side === BUY ? Math.min(price, best - 1) : Math.max(price, best + 1)
}
