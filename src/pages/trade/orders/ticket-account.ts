import { estimatedFees, type RwaMarkets } from '../../../perp/fee-rates.ts'
import type { MarginAccount, OrderAccount } from '../../../perp/margin-account.ts'
import type { MarketRules } from '../../../perp/market-rules.ts'
import type { MarginMode } from '../../../perp/positions.ts'

/** An account for checking an order in one market and margin mode. */
export type TicketAccount = OrderAccount & { readonly mode: MarginMode }

/** The account's settings in a market and margin mode; `leverage` is for the next order. */
export type MarketSettings = {
  readonly mode: MarginMode
  readonly leverage: number
  readonly imrFactor: number
}

/** The account with the settings and fee rates for a market. */
export function accountIn(
  { fees, ...account }: MarginAccount,
  { symbol, maxLeverage, baseImr, baseMmr }: MarketRules,
  { mode, leverage, imrFactor: factor }: MarketSettings,
  rwaMarkets: RwaMarkets,
): TicketAccount {
  const row = account.positions.find((each) => each.symbol === symbol && each.mode === mode)
  const own = Math.min(row?.leverage || leverage, maxLeverage)
  const rates = { leverage: own, baseImr, baseMmr, imrFactor: factor }
  return { ...account, ...estimatedFees(fees, symbol, rwaMarkets), mode, rates }
}
