import type { PriceOf } from '../../swap/embedded/price.ts'

/** The index prices of markets against USDC. */
export function pricesOf(indexOf: (symbol: string, atMs: number) => bigint | null): PriceOf {
  return (base, atMs) => indexOf(`PERP_${base}_USDC`, atMs)
}
