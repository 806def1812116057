import { mulDiv, type Rounding } from '../../core/decimals.ts'

/** Prices, quantities and ratios have eight decimals, USDC amounts six; price × quantity has sixteen. */
export const ONE = 100_000_000n

/** How much of price × quantity is one micro-USDC. */
export const VALUE_PER_MICRO = 10_000_000_000n

/** What a quantity is worth at a price, in micro-USDC. Half away from zero, so both sides of a trade cancel out. */
export function notionalOf(price: bigint, quantity: bigint, rounding: Rounding = 'half'): bigint {
  return mulDiv(price, quantity, VALUE_PER_MICRO, rounding)
}

/** The sum of what each row amounts to. */
export function sumOf<T>(rows: Iterable<T>, amountOf: (row: T) => bigint): bigint {
  let total = 0n
  for (const row of rows) total += amountOf(row)
  return total
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
