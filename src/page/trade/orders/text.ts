import { computed } from '@preact/signals'
import { fixed, placesOf, textOfExact } from '../../common/format.ts'
import { type NumberReading, readNumber, signsOf, writeNumber } from '../../common/read-number.ts'
import { rules } from '../market/state.ts'

/** The base of a symbol: `ETH` of `PERP_ETH_USDC`. */
export function baseOf(symbol: string): string {
  return symbol.split('_')[1] ?? symbol
}

/** A price with all its places and its unit, as what is signed is shown. */
export function usdcText(price: bigint): string {
  return `${textOfExact(price)} USDC`
}

/** A price of a market with as many places as its tick. */
export function priceText(symbol: string, price: bigint): string {
  return fixed(price, placesOf(rules.peek().get(symbol)?.quoteTick ?? '0.01'))
}

/** A size of a market with as many places as its step. */
export function sizeText(symbol: string, size: bigint): string {
  return fixed(size, placesOf(rules.peek().get(symbol)?.baseTick ?? '0.0001'))
}

const signs = computed(() => signsOf(navigator.language))

/** What the text of an input means as a number in the reader's language. */
export function readInput(text: string): NumberReading {
  return readNumber(text, signs.value)
}

/** The number in an input; null when there is none, or none that is clear. */
export function typed(text: string): bigint | null {
  const reading = readInput(text)
  return reading.kind === 'value' ? reading.value : null
}

/** The text that puts a value into an input. */
export function inputText(value: bigint): string {
  return writeNumber(value, signs.value)
}
