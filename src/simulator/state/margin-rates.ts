import { MICRO, RATE_ONE } from '../base/units.ts'
import type { MarketSpec } from './market-spec.ts'

/** Margin rates grow with the notional to the power of 4/5. */
export const NOTIONAL_POWER = 4 / 5

/** Maximum rate, a margin of 1,000 times the notional. A larger rate would have the same effect. */
const RATE_MAX = 1000
const USDC_MAX = 4e9

/** The highest leverage that a market allows: the reciprocal of its base initial margin rate, rounded down. */
export function leverageMax({ baseImr }: MarketSpec): number {
  return Math.floor(RATE_ONE / baseImr)
}

/** The initial margin rate of a notional: max(1 / leverage, base_imr, imr_factor × N^0.8). */
export function initialMarginRate(spec: MarketSpec, leverage: number, notional: number): number {
  const base = Math.max(Math.floor(RATE_ONE / leverage), spec.baseImr)
  return notional < spec.growsFrom ? base : Math.max(base, sizeRate(spec.imrFactor, notional))
}

/** The maintenance margin rate of a notional: max(base_mmr, base_mmr / base_imr × imr_factor × N^0.8). */
export function maintenanceMarginRate(spec: MarketSpec, notional: number): number {
  if (notional < spec.growsFrom) return spec.baseMmr
  return Math.max(spec.baseMmr, sizeRate(maintenanceFactor(spec), notional))
}

/** The factor in the maintenance margin rate: base_mmr / base_imr × imr_factor. */
export function maintenanceFactor({ baseMmr, baseImr, imrFactor }: MarketSpec): number {
  return (baseMmr / baseImr) * imrFactor
}

/** The largest notional that a leverage allows in whole USDC: (1 / (leverage × imr_factor))^1.25. */
export function leverageNotionalMax({ imrFactor }: MarketSpec, leverage: number): number {
  const usdc = (1 / (leverage * imrFactor)) ** (1 / NOTIONAL_POWER)
  return Math.floor(Math.min(usdc, USDC_MAX)) * MICRO
}

/**
 * Below this notional, both rates are the market's base rates. Most notionals are below it, and computing powers is
 * slow.
 */
export function baseRateNotionalMax({
  baseImr,
  imrFactor,
}: Pick<MarketSpec, 'baseImr' | 'imrFactor'>) {
  return (baseImr / RATE_ONE / imrFactor) ** (1 / NOTIONAL_POWER) * MICRO * SURELY
}

const SURELY = 0.999

function sizeRate(factor: number, notional: number): number {
  return Math.round(Math.min(factor * (notional / MICRO) ** NOTIONAL_POWER, RATE_MAX) * RATE_ONE)
}
