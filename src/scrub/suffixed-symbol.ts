const SUFFIXED = /^PERP_(?![A-Z0-9]+_USDC$)/

/** Whether a symbol is of a market that carries a builder's suffix, which no public answer shows. */
export function isSuffixed(symbol: unknown): boolean {
  return typeof symbol === 'string' && SUFFIXED.test(symbol)
}
