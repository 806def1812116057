import { parseDecimal } from '../core/decimals.ts'

/** What a taker and a maker pay, rates of eight decimals; those of markets of other assets than crypto apart. */
export type Fees = {
  readonly fees: Pair
  readonly rwaFees: Pair
}

type Pair = { readonly taker: number; readonly maker: number }

const SHAPE = /^-?\d{1,3}(?:\.\d{1,4})?$/
/** A basis point is a rate of 0.0001. */
const PLACES = 4
/** One per cent; a rebate is no more than that either. */
const RATE_MAX = 1_000_000

/** Two or four figures in basis points: taker and maker, then those of assets outside of crypto; undefined when it is none. */
export function feesOf(text: string): Fees | undefined {
  const rates = text.split(',').map(rateOf)
  const isWhole = (rates.length === 2 || rates.length === 4) && rates.every(Number.isSafeInteger)
  const [taker = 0, maker = 0, rwaTaker = taker, rwaMaker = maker] = rates
  return isWhole
    ? { fees: { taker, maker }, rwaFees: { taker: rwaTaker, maker: rwaMaker } }
    : undefined
}

/** A rate of eight decimals; not a number for what is none, or too large. */
function rateOf(text: string): number {
  const rate = SHAPE.test(text) ? Number(parseDecimal(text, PLACES)) : Number.NaN
  return Math.abs(rate) <= RATE_MAX ? rate : Number.NaN
}
