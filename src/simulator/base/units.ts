import type { Rounding } from '../../core/decimals.ts'

/**
 * The engine counts in safe integers: prices in ticks, quantities in steps, money in micro-USDC, rates and average
 * prices with eight decimals. In every market one tick × one step is a whole number of micro-USDC.
 */

export const MICRO = 1_000_000

/** The rate 1, since rates have eight decimals. */
export const RATE_ONE = 100_000_000

/**
 * Maximum notional, balance or cost in micro-USDC (four billion USDC); larger orders are refused. Below it, every sum
 * of two amounts and every quotient from this file is a safe integer.
 */
export const AMOUNT_MAX = 4_000_000_000_000_000

/**
 * `a × b ÷ divisor` for safe integers, rounded once: down, up, or to the nearest with halves up. The product may exceed
 * 2^53. A quotient beyond the safe integers becomes the nearest safe integer. Throws RangeError unless the divisor is
 * above zero.
 */
export function safeMulDiv(a: number, b: number, divisor: number, rounding: Rounding): number {
  if (divisor <= 0) throw new RangeError('the divisor must be above zero')
  const product = a * b
  if (product <= SAFE && product >= -SAFE) {
    const quotient = Math.floor(product / divisor)
    return rounded(quotient, product - quotient * divisor, divisor, rounding)
  }
  return wideDiv(a, b, divisor, rounding)
}

/** An amount times a rate, rounded up, so that fees and margins are never too low. */
export function amountAtRate(amount: number, rate: number): number {
  return safeMulDiv(amount, rate, RATE_ONE, 'ceil')
}

/** The sum of one figure over all rows. */
export function sumBy<T>(rows: readonly T[], figureOf: (row: T) => number): number {
  return rows.reduce((sum, row) => sum + figureOf(row), 0)
}

const SAFE = Number.MAX_SAFE_INTEGER

/** Corrects a quotient by one in either direction: `product / divisor` may have been rounded to the next integer. */
function rounded(floor: number, rest: number, divisor: number, rounding: Rounding): number {
  let quotient = floor
  let remainder = rest
  if (remainder < 0) {
    quotient -= 1
    remainder += divisor
  } else if (remainder >= divisor) {
    quotient += 1
    remainder -= divisor
  }
  if (rounding === 'ceil') return remainder > 0 ? quotient + 1 : quotient
  if (rounding === 'half') return remainder >= divisor - remainder ? quotient + 1 : quotient
  return quotient
}

/**
 * safeMulDiv for a product beyond 2^53. Corrects the float quotient by its exact error. To compute the error, each
 * product is split into a float and its rounding error (T. J. Dekker, "A floating-point technique for extending the
 * available precision", 1971).
 */
function wideDiv(a: number, b: number, divisor: number, rounding: Rounding): number {
  const product = a * b
  const guess = Math.floor(product / divisor)
  if (guess > SAFE || guess < -SAFE) return guess > 0 ? SAFE : -SAFE
  const back = guess * divisor
  const rest = product - back + (productError(a, b, product) - productError(guess, divisor, back))
  const off = Math.floor(rest / divisor)
  return rounded(guess + off, rest - off * divisor, divisor, rounding)
}

const SPLIT = 134_217_729

/** The rounding error of a product of two floats (Dekker's algorithm). */
function productError(a: number, b: number, product: number): number {
  const splitA = SPLIT * a
  const highA = splitA - (splitA - a)
  const lowA = a - highA
  const splitB = SPLIT * b
  const highB = splitB - (splitB - b)
  const lowB = b - highB
  return highA * highB - product + highA * lowB + lowA * highB + lowA * lowB
}
