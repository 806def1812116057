import {
  formatDecimal,
  mulDiv,
  ONE,
  PER_MICRO,
  parseDecimal,
  type Rounding,
  SCALE,
  toNumber,
  usdcNumber,
} from '../core/decimals.ts'

/** The exact value of a JSON number or of a decimal's text; null when it is none. */
export function amountOf(value: unknown): bigint | null {
  const isText = typeof value === 'number' || typeof value === 'string'
  return isText ? parseDecimal(String(value), SCALE) : null
}

/** A plain decimal without exponent, as it is signed and sent. */
export function amountText(value: bigint): string {
  return formatDecimal(value, SCALE)
}

/** The nearest JSON number, for answers. */
export function amountNumber(value: bigint): number {
  return toNumber(value, SCALE)
}

/** Price × quantity, or any other product of two amounts. */
export function times(a: bigint, b: bigint, rounding: 'floor' | 'ceil' = 'floor'): bigint {
  return mulDiv(a, b, ONE, rounding)
}

export function divided(a: bigint, b: bigint, rounding: 'floor' | 'ceil' = 'floor'): bigint {
  return mulDiv(a, ONE, b, rounding)
}

/** The multiple of a step at or below a value, at or above it, or nearest to it. */
export function onStep(value: bigint, step: bigint, rounding: Rounding): bigint {
  return step === 0n ? value : mulDiv(value, 1n, step, rounding) * step
}

/** Micro-USDC of an amount in USDC, rounded up. */
export function microsOf(usdc: bigint): bigint {
  return mulDiv(usdc, 1n, PER_MICRO, 'ceil')
}

/** An amount in USDC as a JSON number with at most six decimals. */
export function usdcOf(value: bigint): number {
  return usdcNumber(mulDiv(value, 1n, PER_MICRO, 'half'))
}
