import { exact, fixed, placesOf } from '../../common/format.ts'
import { rules } from '../market/state.ts'

/** The base of a symbol: `ETH` of `PERP_ETH_USDC`. */
export function baseOf(symbol: string): string {
  return symbol.split('_')[1] ?? symbol
}

/** A price of a market with as many places as its tick. */
export function priceText(symbol: string, price: bigint): string {
  return fixed(price, placesOf(rules.peek().get(symbol)?.quoteTick ?? '0.01'))
}

/** A size of a market with as many places as its step. */
export function sizeText(symbol: string, size: bigint): string {
  return fixed(size, placesOf(rules.peek().get(symbol)?.baseTick ?? '0.0001'))
}

/** What somebody typed as a number: grouping commas and spaces do not count. */
export function typed(text: string): bigint | null {
  return exact(text.replace(/[,\s]/g, '').replace(/^\./, '0.').replace(/\.$/, ''))
}
