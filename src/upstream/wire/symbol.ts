import { SYMBOL_PATTERN } from '../../contract/market/symbols.ts'
import { invalid } from '../../core/failure.ts'
import { type Query, required } from '../../core/query.ts'

/** The base asset of a symbol, such as BTC for PERP_BTC_USDC. */
export function baseAsset(symbol: string): string {
  return symbol.slice('PERP_'.length, -'_USDC'.length)
}

/** The required parameter `symbol`. Throws invalid_request that names it unless its form is PERP_<BASE>_USDC. */
export function requiredSymbol(query: Query): string {
  const symbol = required(query, 'symbol')
  if (!SYMBOL_PATTERN.test(symbol)) throw invalid('symbol')
  return symbol
}
