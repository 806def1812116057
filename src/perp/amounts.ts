import {
  absolute,
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

// An amount is a price, size, rate or USDC value as an integer with eighteen decimals: 1.5 is stored as 1.5 × `ONE`.

/** The exact amount of a JSON number or of a decimal string; null for any other value. */
export function toAmount(value: unknown): bigint | null {
  const isText = typeof value === 'number' || typeof value === 'string'
  return isText ? parseDecimal(String(value), SCALE) : null
}

/** An amount as a plain decimal without exponent, for bodies that are signed and sent. */
export function amountText(value: bigint): string {
  return formatDecimal(value, SCALE)
}

/** The nearest floating-point number, for answers, display and estimates. */
export function amountNumber(value: bigint): number {
  return toNumber(value, SCALE)
}

/** Price × quantity, or any other product of two amounts. */
export function product(a: bigint, b: bigint, rounding: Rounding = 'floor'): bigint {
  return mulDiv(a, b, ONE, rounding)
}

/** The quotient of two amounts; zero if the divisor is zero. */
export function quotient(a: bigint, b: bigint, rounding: Rounding = 'floor'): bigint {
  return b === 0n ? 0n : mulDiv(a, ONE, b, rounding)
}

/** The distance from one price to another, as a fraction of the first; zero if the first is zero. */
export function relativeDistance(from: bigint, to: bigint): bigint {
  return quotient(absolute(to - from), from)
}

/** Rounds a value to a multiple of `step`. Returns the value unchanged if the step is not positive. */
export function roundedToStep(value: bigint, step: bigint, rounding: Rounding): bigint {
  return step <= 0n ? value : mulDiv(value, 1n, step, rounding) * step
}

/** Converts an amount in USDC to micro-USDC, rounded up. */
export function toMicros(usdc: bigint): bigint {
  return mulDiv(usdc, 1n, PER_MICRO, 'ceil')
}

/** The product of two amounts in micro-USDC, rounded up. */
export function productMicros(a: bigint, b: bigint): bigint {
  return toMicros(product(a, b, 'ceil'))
}

/** The sum of `part` over all items; null if it is null for one item. */
export function sumOrNull<Item>(
  items: readonly Item[],
  part: (item: Item) => bigint | null,
): bigint | null {
  let total = 0n
  for (const item of items) {
    const value = part(item)
    if (value === null) return null
    total += value
  }
  return total
}

/** Converts micro-USDC to an amount in USDC. */
export function fromMicros(micros: bigint): bigint {
  return micros * PER_MICRO
}

/** An amount in USDC as a JSON number with at most six decimals. */
export function toUsdcNumber(value: bigint): number {
  return usdcNumber(mulDiv(value, 1n, PER_MICRO, 'half'))
}
