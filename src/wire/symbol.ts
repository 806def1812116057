/** BTC of PERP_BTC_USDC. */
export function baseOf(symbol: string): string {
  return symbol.slice('PERP_'.length, -'_USDC'.length)
}
