import { larger, mulDiv, ONE, PER_MICRO } from '../core/decimals.ts'
import { amountNumber } from './amounts.ts'

/** The settings that decide the margin rates of an account in a market and margin mode. */
export type RateTerms = {
  readonly leverage: number
  /** The lowest rates of the market, as fractions. */
  readonly baseImr: bigint
  readonly baseMmr: bigint
  /** The account's `imr_factor` in the market: both rates grow with it and the value of the position. */
  readonly imrFactor: number
}

/** Rates have eight decimals. */
const RATE_DECIMALS = 100_000_000
const PER_RATE = ONE / BigInt(RATE_DECIMALS)
const RATE_MAX = 1000

/** Rates grow with the four fifths power of the value in USDC. */
const POWER = 4 / 5

/** An isolated position takes this rate on top of its initial margin, for the fee: 0.0006. */
const ISOLATED_FEE_RATE = (6n * ONE) / 10_000n

/** The initial margin rate of a value in USDC: `max(1 / leverage, base_imr, imr_factor × N^0.8)`. */
export function initialRate({ leverage, baseImr, imrFactor }: RateTerms, value: bigint): bigint {
  return larger(larger(leverageRate(leverage), baseImr), grownRate(imrFactor, value))
}

/** The maintenance margin rate of a value: `max(base_mmr, base_mmr / base_imr × imr_factor × N^0.8)`. */
export function maintenanceRate(terms: RateTerms, value: bigint): bigint {
  return larger(terms.baseMmr, grownRate(maintenanceFactor(terms), value))
}

/** The maintenance margin rate of a value in USDC as a float, not rounded. */
export function maintenanceFraction(terms: RateTerms, usdc: number): number {
  return Math.max(amountNumber(terms.baseMmr), maintenanceFactor(terms) * usdc ** POWER)
}

/** The share of an isolated order's opened value that becomes the margin of the position. */
export function isolatedRate({ leverage }: RateTerms): bigint {
  return leverageRate(leverage) + ISOLATED_FEE_RATE
}

/** The largest value of position and orders that a leverage allows, in whole USDC; null without a factor. */
export function maxNotional({ leverage, imrFactor }: RateTerms): bigint | null {
  if (imrFactor <= 0) return null
  const usdc = (1 / (leverage * imrFactor)) ** (1 / POWER)
  return BigInt(Math.floor(Math.min(usdc, USDC_MAX))) * ONE
}

/** No value at the venue passes this. */
const USDC_MAX = 4e9

/** A value times a rate, rounded up to a micro-USDC as the venue rounds fees and margins. */
export function timesRate(value: bigint, rate: bigint): bigint {
  return mulDiv(value, rate, ONE * PER_MICRO, 'ceil') * PER_MICRO
}

function leverageRate(leverage: number): bigint {
  return leverage > 0 ? BigInt(Math.floor(RATE_DECIMALS / leverage)) * PER_RATE : ONE
}

function maintenanceFactor({ baseImr, baseMmr, imrFactor }: RateTerms): number {
  return baseImr > 0n ? (amountNumber(baseMmr) / amountNumber(baseImr)) * imrFactor : 0
}

function grownRate(factor: number, value: bigint): bigint {
  const rate = Math.min(factor * amountNumber(value) ** POWER, RATE_MAX)
  return BigInt(Math.round(rate * RATE_DECIMALS)) * PER_RATE
}
