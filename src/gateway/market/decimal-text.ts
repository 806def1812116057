import { formatDecimal, parseDecimal } from '../../core/decimals.ts'
import { SpelledNumber } from '../../core/json.ts'

/** As small as amounts are anywhere. */
const EXPONENT_SCALE = 18

const PLAIN = /^-?\d{1,64}(?:\.\d{1,64})?$/

/**
 * A number that the venue sent, as JSON number or as text: its own spelling, but without an exponent. Null when it is
 * neither, or longer than any amount.
 */
export function decimalText(value: unknown): string | null {
  if (typeof value !== 'string' && !isNumber(value)) return null
  const text = String(value)
  if (PLAIN.test(text)) return text
  const exact = parseDecimal(text, EXPONENT_SCALE)
  return exact === null ? null : formatDecimal(exact, EXPONENT_SCALE)
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof SpelledNumber
}
