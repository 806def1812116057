import fc from 'fast-check'
import { amountNumber, roundedToStep, toAmount } from '../../src/perp/amounts.ts'
import type { OpenOrder } from '../../src/perp/margin-account.ts'
import type { MarketNow, Order, OrderMatch } from '../../src/perp/order-match.ts'
import { FOUR_LISTED } from '../simulator/past/small-feed.ts'

export const SYMBOLS = FOUR_LISTED.map(({ symbol }) => symbol)
export const PER_UNIT = 10_000

/** A random order, and what happens before it. */
export const CASE = fc.record({
  symbol: fc.constantFrom(...SYMBOLS),
  side: fc.constantFrom('BUY', 'SELL'),
  type: fc.constantFrom('LIMIT', 'LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY', 'ASK', 'BID'),
  mode: fc.constantFrom('CROSS', 'ISOLATED'),
  reduceOnly: fc.constantFrom(false, false, false, true),
  /** The value of the order in USDC: ten to this power in hundredths. */
  power: fc.integer({ min: 90, max: 550 }),
  /** How far its price is from the mark price, in hundredths of a percent. */
  away: fc.oneof(fc.integer({ min: -100, max: 100 }), fc.integer({ min: -5000, max: 5000 })),
  offStep: fc.constantFrom(false, false, false, false, false, false, true),
  slippage: fc.constantFrom(null, null, 0.0002, 0.005),
  before: fc.constantFrom('nothing', 'nothing', 'nothing', 'move', 'leverage', 'cancel', 'close'),
  /** How far the market moves before it, in hundredths of a percent. */
  shift: fc.integer({ min: -200, max: 200 }),
  leverage: fc.integer({ min: 1, max: 30 }),
})

export type Case = typeof CASE extends fc.Arbitrary<infer T> ? T : never

const PRICED: ReadonlySet<string> = new Set(['LIMIT', 'IOC', 'FOK', 'POST_ONLY'])

/** The order of a case in a market. */
export function toOrder(market: MarketNow, each: Case): Order {
  const { side, type, mode, reduceOnly, power, away, offStep, slippage } = each
  const mark = amountNumber(market.mark ?? 0n)
  const stepped = (value: number, step: bigint) => {
    const exact = toAmount(value.toFixed(8)) ?? 0n
    return offStep ? exact : roundedToStep(exact, step, 'half')
  }
  return {
    ...{ side, type, mode, reduceOnly },
    price: PRICED.has(type) ? stepped(mark * (1 + away / PER_UNIT), market.quoteTick) : null,
    quantity: stepped(10 ** (power / 100) / mark, market.baseTick),
    slippage: type === 'MARKET' ? toAmount(slippage) : null,
  }
}

/** The body of `POST /v1/order`. */
export function toBody(
  symbol: string,
  { side, type, mode, price, quantity, reduceOnly, slippage }: Order,
) {
  return {
    ...{ symbol, side, order_type: type, margin_mode: mode, reduce_only: reduceOnly },
    order_quantity: amountNumber(quantity),
    ...(price !== null && { order_price: amountNumber(price) }),
    ...(slippage !== null && { slippage: amountNumber(slippage) }),
  }
}

/**
 * Whether an own order waits at the last price of a whole fill. If it comes first in the queue, the venue cancels it; the
 * book does not show which comes first.
 */
export function mayMeetOwn(
  { side }: Order,
  { fill, reach }: OrderMatch,
  { orders }: { readonly orders: readonly OpenOrder[] },
  symbol: string,
): boolean {
  return (
    fill.quantity === reach &&
    orders.some((own) => own.symbol === symbol && own.side !== side && own.price === fill.worst)
  )
}
