import { toNumber } from '../../core/decimals.ts'
import type { Account } from '../exchange/state.ts'
import type { Instrument } from '../market/feed.ts'
import { larger, ONE } from '../units.ts'

/** The account's leverage in a market: its setting, or as much of it as the market's base rate allows. */
export function leverageOf({ profile }: Account, instrument: Instrument): number {
  const set = profile.leverages[instrument.symbol] ?? profile.leverage
  return Math.min(set, leverageMax(instrument))
}

/** The highest leverage a market allows: the reciprocal of its base initial rate, rounded down. */
export function leverageMax({ baseImr }: Instrument): number {
  return Number(ONE / baseImr)
}

/** The initial margin rate of a notional (micro-USDC): max(1 / leverage, base_imr, imr_factor × N^0.8). */
export function initialRate(instrument: Instrument, leverage: number, notional: bigint): bigint {
  const growing = sizeRate(instrument.imrFactor, notional)
  return larger(larger(ONE / BigInt(leverage), instrument.baseImr), growing)
}

/** The maintenance margin rate of a notional: max(base_mmr, base_mmr / base_imr × imr_factor × N^0.8). */
export function maintenanceRate(instrument: Instrument, notional: bigint): bigint {
  return larger(instrument.baseMmr, sizeRate(maintenanceFactor(instrument), notional))
}

/** How fast the maintenance rate grows: base_mmr / base_imr × imr_factor. */
export function maintenanceFactor({ baseMmr, baseImr, imrFactor }: Instrument): number {
  return (Number(baseMmr) / Number(baseImr)) * imrFactor
}

/** The largest notional in whole micro-USDC that a leverage allows: (1 / (leverage × imr_factor))^1.25, in whole USDC. */
export function notionalMax({ imrFactor }: Instrument, leverage: number): bigint {
  const usdc = (1 / (leverage * imrFactor)) ** (1 / NOTIONAL_POWER)
  return BigInt(Math.floor(Math.min(usdc, USDC_MAX))) * MICRO
}

/** Rates grow with the four fifths power of the notional. */
export const NOTIONAL_POWER = 4 / 5

const MICRO = 1_000_000n
const USDC_MAX = 1e15
/** A rate beyond this, a thousandfold margin, says no more than this. */
const RATE_MAX = 1000

function sizeRate(factor: number, notional: bigint): bigint {
  const rate = Math.min(factor * toNumber(notional, 6) ** NOTIONAL_POWER, RATE_MAX)
  return BigInt(Math.round(rate * Number(ONE)))
}
