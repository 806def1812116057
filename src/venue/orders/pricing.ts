import { mulDiv } from '../../core/decimals.ts'
import { type Exchange, opposite, type Side } from '../exchange/state.ts'
import { visibleBook } from '../matching/book.ts'
import { larger, ONE, smaller } from '../units.ts'
import { refusal } from '../wire/refusals.ts'
import type { OrderRequest } from './request.ts'

export type Pricing = {
  /** The order's own price; null for MARKET. */
  readonly price: bigint | null
  /** The worst price it may execute at. */
  readonly limit: bigint
  /** The price that values it. */
  readonly reference: bigint
}

/**
 * The prices of an order at its acceptance. MARKET may go as far as price_range around the mark allows, and no further
 * than its slippage from the best opposite price; ASK and BID take a price of the book; POST_ONLY may step back from it.
 * Throws -1012 when the book has no such price.
 */
export function priceOrder(exchange: Exchange, request: OrderRequest, nowMs: number): Pricing {
  if (request.type === 'MARKET') return marketPricing(exchange, request, nowMs)
  const price = ownPrice(exchange, request, nowMs)
  return { price, limit: price, reference: price }
}

function ownPrice(exchange: Exchange, request: OrderRequest, nowMs: number): bigint {
  const { type, price, adjusts } = request
  if (type === 'ASK' || type === 'BID') return bookPrice(exchange, request, nowMs)
  if (price === null) throw refusal('parameter', 'order_price must be a positive number')
  return adjusts ? steppedBack(exchange, request, price, nowMs) : price
}

function marketPricing(
  exchange: Exchange,
  { instrument, side, slippage }: OrderRequest,
  nowMs: number,
): Pricing {
  const mark = exchange.feed.mark(instrument.symbol, nowMs)
  const reference = pricesOf(exchange, instrument.symbol, opposite(side), nowMs)[0] ?? mark
  const limit = worse(side, mark, instrument.priceRange)
  if (slippage === null) return { price: null, limit, reference }
  const slipped = worse(side, reference, slippage)
  return {
    price: null,
    limit: side === 'BUY' ? smaller(limit, slipped) : larger(limit, slipped),
    reference,
  }
}

function bookPrice(
  exchange: Exchange,
  { instrument, type, level }: OrderRequest,
  nowMs: number,
): bigint {
  const side = type === 'ASK' ? 'SELL' : 'BUY'
  const price = pricesOf(exchange, instrument.symbol, side, nowMs)[level]
  if (price === undefined) throw refusal('rejected', 'The book has no price at this level')
  return price
}

function steppedBack(
  exchange: Exchange,
  { instrument, side }: OrderRequest,
  price: bigint,
  nowMs: number,
): bigint {
  const [best] = pricesOf(exchange, instrument.symbol, opposite(side), nowMs)
  if (best === undefined) return price
  return side === 'BUY'
    ? smaller(price, best - instrument.quoteTick)
    : larger(price, best + instrument.quoteTick)
}

function pricesOf(exchange: Exchange, symbol: string, side: Side, nowMs: number): bigint[] {
  const { bids, asks } = visibleBook(exchange, symbol, nowMs)
  return (side === 'BUY' ? bids : asks).map(({ price }) => price)
}

/** A price moved against its payer by a fraction. */
function worse(side: Side, price: bigint, fraction: bigint): bigint {
  return side === 'BUY'
    ? mulDiv(price, ONE + fraction, ONE, 'floor')
    : mulDiv(price, ONE - fraction, ONE, 'ceil')
}
