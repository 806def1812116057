import { fixed, micro, type WireNumber } from '../messages/number.ts'
import type { MarketSpec } from '../state/market-spec.ts'

/** The engine's integers as the wire's numbers. */

/** A price in ticks; a fraction of one is rounded at eight decimals. */
export function priceOf({ tick }: MarketSpec, ticks: number): WireNumber {
  return Number.isInteger(ticks)
    ? fixed(BigInt(ticks) * BigInt(tick))
    : fixed(BigInt(Math.round(ticks * tick)))
}

/** A quantity in steps. */
export function quantityOf({ step }: MarketSpec, steps: number): WireNumber {
  return fixed(BigInt(steps) * BigInt(step))
}

/** Micro-USDC. */
export function amountOf(amount: number): WireNumber {
  return micro(BigInt(amount))
}

/** A rate, an average price or a ratio of eight decimals. */
export function rateOf(rate: number): WireNumber {
  return fixed(BigInt(rate))
}
