import { formatDecimal } from '../../core/decimals.ts'
import { SpelledNumber } from '../../core/json.ts'

/** A number with an exact decimal JSON text, so that amounts are never written as floats. */
export type WireNumber = SpelledNumber

/** A price or quantity: eight decimals. */
export function fixed(value: bigint): WireNumber {
  return new SpelledNumber(formatDecimal(value, 8))
}

/** A USDC amount: six decimals. */
export function micro(value: bigint): WireNumber {
  return new SpelledNumber(formatDecimal(value, 6))
}

/** A price in ticks; a fraction of one is rounded at eight decimals. */
export function wirePrice({ tick }: { readonly tick: number }, ticks: number): WireNumber {
  return Number.isInteger(ticks)
    ? fixed(BigInt(ticks) * BigInt(tick))
    : fixed(BigInt(Math.round(ticks * tick)))
}

/** A quantity in steps. */
export function wireQuantity({ step }: { readonly step: number }, steps: number): WireNumber {
  return fixed(BigInt(steps) * BigInt(step))
}

/** Micro-USDC. */
export function wireUsdc(amount: number): WireNumber {
  return micro(BigInt(amount))
}

/** A rate, an average price or a ratio of eight decimals. */
export function wireRate(rate: number): WireNumber {
  return fixed(BigInt(rate))
}

/** The side of an order as text; above zero is a buy. */
export function sideOf(side: number): 'BUY' | 'SELL' {
  return side > 0 ? 'BUY' : 'SELL'
}

export function marginModeText({ isolated }: { readonly isolated: boolean }): 'CROSS' | 'ISOLATED' {
  return isolated ? 'ISOLATED' : 'CROSS'
}
