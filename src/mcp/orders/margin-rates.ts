import { mulDiv } from '../../core/decimals.ts'

/** The inputs of the margin rates of an account in a market. */
export type RateTerms = {
  readonly leverage: number
  readonly baseImr: number
  readonly baseMmr: number
  /** The account's `imr_factor` in the market. */
  readonly factor: number
}

/** Rates are integers of eight decimals. */
export const RATE_ONE = 100_000_000
const RATE_MAX = 1000
const MICRO = 1_000_000

/** Rates grow with the four fifths power of the notional in USDC. */
const POWER = 4 / 5

/** An isolated position takes this rate on top of its initial margin, for the fee. */
const ISOLATED_FEE_RATE = 60_000

/** `max(1 / leverage, base_imr, imr_factor × N^0.8)` of a notional in micro-USDC. */
export function initialRate({ leverage, baseImr, factor }: RateTerms, notional: bigint): number {
  const base = Math.max(Math.floor(RATE_ONE / leverage), scaled(baseImr))
  return Math.max(base, grown(factor, notional))
}

/** `max(base_mmr, base_mmr / base_imr × imr_factor × N^0.8)` of a notional in micro-USDC. */
export function maintenanceRate(terms: RateTerms, notional: bigint): number {
  return Math.max(scaled(terms.baseMmr), grown(maintenanceFactor(terms), notional))
}

/** The maintenance rate of a notional in USDC as a fraction, not rounded. */
export function maintenanceFraction(terms: RateTerms, usdc: number): number {
  return Math.max(terms.baseMmr, maintenanceFactor(terms) * usdc ** POWER)
}

/** The share of an isolated order's opened value that becomes the margin of the position. */
export function isolatedRate({ leverage }: RateTerms): number {
  return Math.floor(RATE_ONE / leverage) + ISOLATED_FEE_RATE
}

/** The largest notional in micro-USDC that a leverage allows; null where the account has no factor for the market. */
export function notionalMax({ leverage, factor }: RateTerms): bigint | null {
  if (factor <= 0) return null
  const usdc = (1 / (leverage * factor)) ** (1 / POWER)
  return Number.isFinite(usdc) ? BigInt(Math.floor(usdc)) * BigInt(MICRO) : null
}

/** A share of micro-USDC, rounded up to a micro. */
export function shareOf(micros: bigint, rate: number): bigint {
  return mulDiv(micros, BigInt(rate), BigInt(RATE_ONE), 'ceil')
}

function maintenanceFactor({ baseImr, baseMmr, factor }: RateTerms): number {
  return baseImr > 0 ? (baseMmr / baseImr) * factor : 0
}

function grown(factor: number, notional: bigint): number {
  return scaled(Math.min(factor * (Number(notional) / MICRO) ** POWER, RATE_MAX))
}

function scaled(rate: number): number {
  return Math.round(rate * RATE_ONE)
}
