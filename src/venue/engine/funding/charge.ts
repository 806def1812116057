import type { Exchange } from '../exchange.ts'
import { rewatch } from '../margin/solvency.ts'
import { unitaryWorth } from '../markets.ts'
import type { FundingCharge } from '../observer.ts'
import type { Exposure, Market } from '../state.ts'
import { mulDiv, ONE } from '../units.ts'

/** Charges every position mark × rate, rounded up; what rounding keeps is booked as such. */
export function chargeFunding(exchange: Exchange, market: Market, rate: number): FundingCharge[] {
  const unitary = mulDiv(market.mark * market.spec.tick, rate, ONE, 'floor')
  const charges = Array.from(market.holders, (exposure) => charge(exchange, exposure, unitary))
  market.sumUnitary += unitary
  rewatch(exchange, market)
  return charges
}

function charge({ totals }: Exchange, exposure: Exposure, unitary: number): FundingCharge {
  const { market, quantity, life } = exposure
  const fee = unitaryWorth(market.spec, unitary, quantity, 'ceil')
  exposure.cost += fee
  exposure.accruedFunding += fee
  exposure.stamp = -1
  if (life) life.funding += fee
  totals.rounding += fee
  return { exposure, fee }
}
