import { RATE_ONE, safeMulDiv } from '../base/units.ts'
import { checkMarketSolvency } from '../margin/solvency.ts'
import type { ExchangeState } from '../state/exchange.ts'
import { unitaryNotional } from '../state/markets.ts'
import type { FundingCharge } from '../state/observer.ts'
import type { EngineMarket, MarketAccount } from '../state/state.ts'

/** Charges each position its quantity × mark price × rate, rounded up. The remainders are booked as rounding. */
export function chargeFunding(
  exchange: ExchangeState,
  market: EngineMarket,
  rate: number,
): FundingCharge[] {
  const unitary = safeMulDiv(market.mark * market.spec.tick, rate, RATE_ONE, 'floor')
  const charges = Array.from(market.holders, (marketAccount) =>
    charge(exchange, marketAccount, unitary),
  )
  market.sumUnitary += unitary
  checkMarketSolvency(exchange, market)
  return charges
}

function charge(
  { totals }: ExchangeState,
  marketAccount: MarketAccount,
  unitary: number,
): FundingCharge {
  const { market, quantity, life } = marketAccount
  const fee = unitaryNotional(market.spec, unitary, quantity, 'ceil')
  marketAccount.cost += fee
  marketAccount.accruedFunding += fee
  marketAccount.stamp = -1
  if (life) life.funding += fee
  totals.rounding += fee
  return { marketAccount, fee }
}
