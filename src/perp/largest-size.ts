import { largestValueBelow } from '../core/bisection.ts'
import { larger, smaller } from '../core/decimals.ts'
import { roundedToStep } from './amounts.ts'
import { type CheckedMarket, checkOrder, type OrderShape } from './order-check.ts'
import { type OpeningOrder, toMarketBound, worstValue } from './order-worst-case.ts'

/**
 * The largest size below an order's own that `fits`, a multiple of the tick and at most the market's maximum. Zero if
 * every such size is too large, or too small for the market. `fits` must be monotone: if it is true for a size, it is
 * true for every smaller size.
 */
export function largestSize(
  market: CheckedMarket,
  order: OrderShape,
  fits: (quantity: bigint) => boolean,
): bigint {
  const { baseTick, baseMax } = market
  const step = larger(baseTick, 1n)
  const tooMuch = baseMax === null ? null : roundedToStep(baseMax, step, 'floor') + step
  const quantity = largestOnStep(baseTick, smaller(order.quantity, tooMuch ?? order.quantity), fits)
  const { broken } = checkOrder(market, { ...order, quantity })
  return broken.some(({ field }) => field === 'quantity') ? 0n : quantity
}

/**
 * The largest size of an order that its market accepts and whose value is at most `micros` micro-USDC; zero if there is
 * no such size. `counted` gives the value of a size, null if unknown; by default it is the order's worst case.
 */
export function largestWithinValue(
  market: CheckedMarket,
  order: OpeningOrder,
  micros: bigint,
  counted = (quantity: bigint) => worstValue({ ...order, quantity }, toMarketBound(market)),
): bigint {
  const shape = {
    ...{ side: order.side ?? 'BUY', price: null, quantity: order.quantity ?? 0n },
    ...{ reference: order.highest || market.mark || 0n, reduceOnly: false, closable: null },
  }
  return largestSize(market, shape, (quantity) => {
    const value = counted(quantity)
    return value !== null && value <= micros
  })
}

/**
 * The largest multiple of the tick, up to `quantity`, for which `fits` is true; zero if `fits` is always false. `fits`
 * must be monotone: if it is true for a quantity, it is true for every smaller quantity.
 */
export function largestOnStep(
  baseTick: bigint,
  quantity: bigint,
  fits: (quantity: bigint) => boolean,
): bigint {
  const step = larger(baseTick, 1n)
  const tooMany = roundedToStep(quantity, step, 'ceil') / step
  return step * largestValueBelow(tooMany, (steps) => fits(steps * step))
}

/**
 * The largest size on the tick up to `size`, because an order must be on the tick. A size below one tick is returned
 * unchanged, so that the venue refuses it with the reason. A tick of zero is unknown.
 */
export function wholeOnTick(size: bigint, baseTick = 0n): bigint {
  return roundedToStep(size, baseTick, 'floor') || size
}
