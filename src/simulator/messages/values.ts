import { formatDecimal } from '../../core/decimals.ts'
import { SpelledNumber } from '../../core/json.ts'

/** A number with an exact decimal text in JSON, so that amounts are never written as floats. */
export type WireNumber = SpelledNumber

/** A price or quantity with eight decimals. */
export function fixed(value: bigint): WireNumber {
  return new SpelledNumber(formatDecimal(value, 8))
}

/** A USDC amount with six decimals. */
export function micro(value: bigint): WireNumber {
  return new SpelledNumber(formatDecimal(value, 6))
}

/** A price given in ticks. A fraction of a tick is rounded to eight decimals. */
export function wirePrice({ tick }: { readonly tick: number }, ticks: number): WireNumber {
  return Number.isInteger(ticks)
    ? fixed(BigInt(ticks) * BigInt(tick))
    : fixed(BigInt(Math.round(ticks * tick)))
}

/** A quantity given in steps. */
export function wireQuantity({ step }: { readonly step: number }, steps: number): WireNumber {
  return fixed(BigInt(steps) * BigInt(step))
}

/** A USDC amount given in micro-USDC. */
export function wireUsdc(amount: number): WireNumber {
  return micro(BigInt(amount))
}

/** A rate, an average price or a ratio with eight decimals. */
export function wireRate(rate: number): WireNumber {
  return fixed(BigInt(rate))
}

/** The side of an order as text. A positive number is a buy. */
export function sideOf(side: number): 'BUY' | 'SELL' {
  return side > 0 ? 'BUY' : 'SELL'
}

export function marginModeText({ isolated }: { readonly isolated: boolean }): 'CROSS' | 'ISOLATED' {
  return isolated ? 'ISOLATED' : 'CROSS'
}
