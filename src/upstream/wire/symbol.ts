import { SYMBOL_PATTERN } from '../../contract/market/symbols.ts'
import { invalidParameter } from '../../core/failure.ts'
import { type Query, requiredValue } from '../../core/query.ts'

/** The base asset of a symbol, such as BTC for PERP_BTC_USDC. */
export function baseAsset(symbol: string): string {
  return symbol.slice('PERP_'.length, -'_USDC'.length)
}

/** The required parameter `symbol`. Throws invalid_request that names it unless its form is PERP_<BASE>_USDC. */
export function requiredSymbol(query: Query): string {
  const symbol = requiredValue(query, 'symbol')
  if (!SYMBOL_PATTERN.test(symbol)) throw invalidParameter('symbol')
  return symbol
}
