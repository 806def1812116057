import { isObject, parseExact } from '../core/json.ts'
import { LIMITS } from '../spec/limits.ts'
import { VENUE_SYMBOLS } from '../spec/market/symbols.ts'

/** Whether a symbol is of a market that carries a builder's suffix, which no public answer shows. */
export function isSuffixed(symbol: unknown): boolean {
  return typeof symbol === 'string' && VENUE_SYMBOLS.suffixed.test(symbol)
}

/**
 * A columnar answer (one array a field, one position a market) without the positions of builders' markets. Text with
 * none of them comes back as it is; otherwise numbers keep their own spelling.
 */
export function sharedColumns(text: string): string {
  const payload = parseExact(text, LIMITS.scrubDepthMax)
  const symbols = isObject(payload) ? payload['symbol'] : undefined
  if (!isObject(payload) || !Array.isArray(symbols) || !symbols.some(isSuffixed)) return text
  const kept = symbols.map((symbol) => !isSuffixed(symbol))
  const columns = Object.entries(payload).map(([name, column]) => [name, keep(column, kept)])
  return JSON.stringify(Object.fromEntries(columns))
}

function keep(column: unknown, kept: readonly boolean[]): unknown {
  const isColumn = Array.isArray(column) && column.length === kept.length
  return isColumn ? column.filter((_, position) => kept[position]) : column
}
