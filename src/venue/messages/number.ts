import { formatDecimal } from '../../core/decimals.ts'
import { SpelledNumber } from '../../core/json.ts'

/** A number whose JSON text is exactly its decimal value: money never passes through a float on its way out. */
export type WireNumber = SpelledNumber

/** A price or quantity: eight decimals. */
export function fixed(value: bigint): WireNumber {
  return new SpelledNumber(formatDecimal(value, 8))
}

/** A USDC amount: six decimals. */
export function micro(value: bigint): WireNumber {
  return new SpelledNumber(formatDecimal(value, 6))
}
