/**
 * Functions whose results are equal to the last bit on every machine: only operations that IEEE 754 rounds exactly.
 * The runtime's own leave their last bit to the system's library, and a world's hash must not depend on that.
 */

const LN2_HIGH = 0.6931471803691238
const LN2_LOW = 1.9082149292705877e-10
const POWERS_MAX = 1000
/** One over the factorial of 13 down to 0. */
const TAYLOR = Array.from({ length: 14 }, (_, at) => 1 / factorial(13 - at))

/** Powers of two from 0 up: each is exact. */
const POWERS = Array.from({ length: POWERS_MAX + 1 }, powerOfTwo)

function factorial(n: number): number {
  let product = 1
  for (let factor = 2; factor <= n; factor += 1) product *= factor
  return product
}

function powerOfTwo(_: unknown, exponent: number): number {
  let power = 1
  for (let doubled = 0; doubled < exponent; doubled += 1) power *= 2
  return power
}

/** e to the power of x, within 2e-16 of it; x may be at most 690 in size. */
export function exp(x: number): number {
  const exponent = Math.round(x / Math.LN2)
  const rest = x - exponent * LN2_HIGH - exponent * LN2_LOW
  let sum = 0
  for (let term = 0; term < TAYLOR.length; term += 1) sum = sum * rest + (TAYLOR[term] ?? 0)
  const power = POWERS[Math.abs(exponent)] ?? Number.POSITIVE_INFINITY
  return exponent < 0 ? sum / power : sum * power
}

/** The natural logarithm of a number above zero. */
export function log(x: number): number {
  let mantissa = x
  let exponent = 0
  for (; mantissa > Math.SQRT2; mantissa /= 2) exponent += 1
  for (; mantissa < Math.SQRT1_2; mantissa *= 2) exponent -= 1
  const ratio = (mantissa - 1) / (mantissa + 1)
  const square = ratio * ratio
  let sum = 0
  for (let odd = 21; odd > 0; odd -= 2) sum = sum * square + 1 / odd
  return 2 * ratio * sum + exponent * LN2_HIGH + exponent * LN2_LOW
}

/** x to a power; x is above zero. */
export function power(x: number, exponent: number): number {
  return exp(exponent * log(x))
}

export function tanh(x: number): number {
  return 1 - 2 / (exp(2 * Math.max(-20, Math.min(20, x))) + 1)
}

/** The cosine of so many full turns. */
export function cosTurns(turns: number): number {
  const folded = Math.abs(turns - Math.round(turns))
  const isBeyond = folded > 0.25
  const angle = 2 * Math.PI * (isBeyond ? 0.5 - folded : folded)
  const square = angle * angle
  let sum = 1
  for (let term = 20; term > 0; term -= 2) sum = 1 - (sum * square) / (term * (term - 1))
  return isBeyond ? -sum : sum
}
