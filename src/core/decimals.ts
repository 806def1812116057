/**
 * Exact decimals are an integer and a scale, the number of decimal places: 1.5 at a scale of 8 is 150_000_000n. Values
 * of the same scale can be added, subtracted and compared directly.
 */

/** The scale of market and order figures. `ONE` is 1 at this scale, `PER_MICRO` is one millionth. */
export const SCALE = 18
export const ONE = 1_000_000_000_000_000_000n
export const PER_MICRO = 1_000_000_000_000n

export type Rounding = 'floor' | 'ceil' | 'half'

/**
 * Parses the text of a JSON number, plain or with an exponent, as an exact value at a scale. Null if the text
 * - is not a JSON number,
 * - has more decimal places than the scale (trailing zeros do not count),
 * - is longer than 128 characters, or
 * - needs more than 128 appended zeros.
 */
export function parseDecimal(text: string, scale: number): bigint | null {
  const match = text.length <= TEXT_MAX_CHARS ? JSON_NUMBER.exec(text) : null
  if (!match) return null
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = shifted(whole + fraction, Number(exponent) + scale - fraction.length)
  if (digits === null) return null
  return sign ? -digits : digits
}

/** The exact value of a JSON number at a scale; null for other values and for more decimal places than the scale. */
export function exactNumber(value: unknown, scale: number): bigint | null {
  return typeof value === 'number' ? parseDecimal(String(value), scale) : null
}

/** The shortest text of a scaled value: without exponent, trailing zeros or a superfluous point. */
export function formatDecimal(value: bigint, scale: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = absolute(value)
    .toString()
    .padStart(scale + 1, '0')
  const point = digits.length - scale
  const fraction = digits.slice(point).replace(/(?<!0)0+$/, '')
  return sign + digits.slice(0, point) + (fraction && `.${fraction}`)
}

/** Whether a value is a multiple of a positive `step` of the same scale. */
export function isMultiple(value: bigint, step: bigint): boolean {
  return value % step === 0n
}

/**
 * `a × b ÷ denominator`, rounded once: towards minus infinity, towards plus infinity, or to the nearest with halves
 * away from zero. Throws RangeError for a denominator of zero.
 */
export function mulDiv(a: bigint, b: bigint, denominator: bigint, rounding: Rounding): bigint {
  const product = denominator < 0n ? -a * b : a * b
  const divisor = absolute(denominator)
  if (rounding === 'floor') return floorDiv(product, divisor)
  if (rounding === 'ceil') return -floorDiv(-product, divisor)
  const magnitude = floorDiv(2n * absolute(product) + divisor, 2n * divisor)
  return product < 0n ? -magnitude : magnitude
}

/** Micro-USDC as a JSON number in USDC. */
export function usdcNumber(micros: bigint): number {
  return toNumber(micros, 6)
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** The float nearest to a scaled value, for display and estimates only. */
export function toNumber(value: bigint, scale: number): number {
  return Number(formatDecimal(value, scale))
}

/** The grammar of JSON numbers (RFC 8259, section 6). */
const JSON_NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const TEXT_MAX_CHARS = 128
/** Bounds the size of the result, because short texts such as `1e999999999` have long values. */
const ZEROS_MAX_DIGITS = 128

/** An unsigned integer's digits times ten to the power of `places`; null if the result is not an integer or too long. */
function shifted(digits: string, places: number): bigint | null {
  const value = BigInt(digits)
  if (value === 0n) return 0n
  if (places > ZEROS_MAX_DIGITS || places < -digits.length) return null
  if (places >= 0) return value * 10n ** BigInt(places)
  const divisor = 10n ** BigInt(-places)
  return value % divisor === 0n ? value / divisor : null
}

/** Division rounded down, for a positive divisor. BigInt division rounds towards zero. */
function floorDiv(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend % divisor < 0n ? quotient - 1n : quotient
}
