import { larger, mulDiv, ONE, PER_MICRO } from '../core/decimals.ts'
import { amountNumber } from './amounts.ts'

/** The settings that determine an account's margin rates in one market and margin mode. */
export type RateTerms = {
  readonly leverage: number
  /** The lowest rates of the market, as fractions. */
  readonly baseImr: bigint
  readonly baseMmr: bigint
  /** The account's `imr_factor` in the market: both rates grow with this factor and with the position's value. */
  readonly imrFactor: number
}

/** The venue rounds rates to eight decimals. */
const RATE_DECIMALS = 100_000_000
const PER_RATE = ONE / BigInt(RATE_DECIMALS)
const RATE_MAX = 1000

/** Exponent of the formula: rates grow with the notional value in USDC to the power of 0.8. */
const POWER = 4 / 5

/** An isolated position reserves this additional rate for fees: 0.0006. */
const ISOLATED_FEE_RATE = (6n * ONE) / 10_000n

/** The initial margin rate of a notional value N in USDC: `max(1 / leverage, base_imr, imr_factor × N^0.8)`. */
export function initialRate({ leverage, baseImr, imrFactor }: RateTerms, value: bigint): bigint {
  return larger(larger(leverageRate(leverage), baseImr), grownRate(imrFactor, value))
}

/** The maintenance margin rate of a notional value N: `max(base_mmr, base_mmr / base_imr × imr_factor × N^0.8)`. */
export function maintenanceRate(terms: RateTerms, value: bigint): bigint {
  return larger(terms.baseMmr, grownRate(maintenanceFactor(terms), value))
}

/** The maintenance margin rate of a notional value in USDC, as an unrounded float. */
export function maintenanceFraction(terms: RateTerms, usdc: number): number {
  return Math.max(amountNumber(terms.baseMmr), maintenanceFactor(terms) * usdc ** POWER)
}

/** The fraction of an isolated order's opening value that becomes the position's margin. */
export function isolatedRate({ leverage }: RateTerms): bigint {
  return leverageRate(leverage) + ISOLATED_FEE_RATE
}

/** The largest notional value of position and orders that the leverage allows, in whole USDC; null if `imrFactor` is zero. */
export function maxNotional({ leverage, imrFactor }: RateTerms): bigint | null {
  if (imrFactor <= 0) return null
  const usdc = (1 / (leverage * imrFactor)) ** (1 / POWER)
  return BigInt(Math.floor(Math.min(usdc, USDC_MAX))) * ONE
}

/** Upper bound in USDC, above every notional value at the venue. */
const USDC_MAX = 4e9

/** A value times a rate, rounded up to whole micro-USDC, as the venue rounds fees and margins. */
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
