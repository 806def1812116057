import { amountText } from '../../../perp/amounts.ts'
import { fixedText, tickPlaces } from '../../common/format.ts'
import { rules } from '../market/state.ts'

/** The base of a symbol: `ETH` of `PERP_ETH_USDC`. */
export function symbolBase(symbol: string): string {
  return symbol.split('_')[1] ?? symbol
}

/** A price with all its places and its unit, as in the texts of signed values. */
export function fullPriceText(price: bigint): string {
  return `${amountText(price)} USDC`
}

/** A price with the number of places of the market's tick. */
export function priceText(symbol: string, price: bigint): string {
  return fixedText(price, tickPlaces(rules.peek().get(symbol)?.quoteTick))
}

/** A size with the number of places of the market's size tick. */
export function sizeText(symbol: string, size: bigint): string {
  return fixedText(size, tickPlaces(rules.peek().get(symbol)?.baseTick))
}
