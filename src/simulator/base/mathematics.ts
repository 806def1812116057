/**
 * Functions whose results are equal to the last bit on every machine, because they use only operations that IEEE 754
 * rounds exactly. The runtime's own functions take their last bit from the system's library. A world's hash must not
 * depend on this library.
 */

const LN2_HIGH = 0.6931471803691238
const LN2_LOW = 1.9082149292705877e-10
const POWERS_MAX = 1000
/** Powers of two from 2^0. Each is exact. */
const POWERS = Array.from({ length: POWERS_MAX + 1 }, powerOfTwo)
/** Two to the power of n/16, for n from 0 to 15. */
const SIXTEENTHS = Array.from({ length: 16 }, sixteenthOfPower)

function powerOfTwo(_: unknown, exponent: number): number {
  let power = 1
  for (let doubled = 0; doubled < exponent; doubled += 1) power *= 2
  return power
}

/**
 * Two to the power of `numerator`/16: the product of one square root for each bit of the numerator. IEEE 754 rounds
 * each root exactly.
 */
function sixteenthOfPower(_: unknown, numerator: number): number {
  let power = 1
  for (let bit = 1; bit < 16; bit *= 2)
    power = Math.sqrt((numerator & bit) === 0 ? power : 2 * power)
  return power
}

/** e to the power of x, within 4e-16 of the exact value. |x| may be at most 690. */
export function exp(x: number): number {
  const sixteenths = Math.round((16 * x) / Math.LN2)
  const whole = sixteenths >> 4
  const part = sixteenths / 16
  const r = x - part * LN2_HIGH - part * LN2_LOW
  const tail = 1 / 24 + r * (1 / 120 + r * (1 / 720 + r * (1 / 5040)))
  const series = 1 + r * (1 + r * (1 / 2 + r * (1 / 6 + r * tail)))
  const scaled = series * (SIXTEENTHS[sixteenths & 15] ?? 1)
  const power = POWERS[Math.abs(whole)] ?? Number.POSITIVE_INFINITY
  return whole < 0 ? scaled / power : scaled * power
}

/** The natural logarithm of a number above zero. */
export function log(x: number): number {
  let mantissa = x
  let exponent = 0
  for (; mantissa > 1024; mantissa /= 1024) exponent += 10
  for (; mantissa > Math.SQRT2; mantissa /= 2) exponent += 1
  for (; mantissa < 1 / 1024; mantissa *= 1024) exponent -= 10
  for (; mantissa < Math.SQRT1_2; mantissa *= 2) exponent -= 1
  const ratio = (mantissa - 1) / (mantissa + 1)
  const s = ratio * ratio
  const tail = 1 / 13 + s * (1 / 15 + s * (1 / 17 + s * (1 / 19 + s * (1 / 21))))
  const series = 1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s * tail))))
  return 2 * ratio * (1 + s * series) + exponent * LN2_HIGH + exponent * LN2_LOW
}

/** x to a power; x must be above zero. */
export function power(x: number, exponent: number): number {
  return exp(exponent * log(x))
}

export function tanh(x: number): number {
  return 1 - 2 / (exp(2 * Math.max(-20, Math.min(20, x))) + 1)
}

/** The cosine of an angle that is given in full turns. */
export function cosTurns(turns: number): number {
  const folded = Math.abs(turns - Math.round(turns))
  const isBeyond = folded > 0.25
  const angle = 2 * Math.PI * (isBeyond ? 0.5 - folded : folded)
  const s = angle * angle
  const tail =
    1 -
    s *
      (1 / 132) *
      (1 - s * (1 / 182) * (1 - s * (1 / 240) * (1 - s * (1 / 306) * (1 - s * (1 / 380)))))
  const middle = 1 - s * (1 / 30) * (1 - s * (1 / 56) * (1 - s * (1 / 90) * tail))
  const sum = 1 - s * (1 / 2) * (1 - s * (1 / 12) * middle)
  return isBeyond ? -sum : sum
}
