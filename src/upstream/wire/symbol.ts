import { SYMBOL_PATTERN } from '../../contract/market/symbols.ts'
import { invalid } from '../../core/failure.ts'
import { type Query, required } from '../../core/query.ts'

/** The base asset of a symbol: BTC of PERP_BTC_USDC. */
export function baseAsset(symbol: string): string {
  return symbol.slice('PERP_'.length, -'_USDC'.length)
}

/** The required `symbol`. Throws invalid_request naming it unless it is PERP_<BASE>_USDC. */
export function requiredSymbol(query: Query): string {
  const symbol = required(query, 'symbol')
  if (!SYMBOL_PATTERN.test(symbol)) throw invalid('symbol')
  return symbol
}
