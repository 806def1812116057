import type { Order } from '../account/rows.ts'
import { isIsolated, marketLimits, orders, summary, usedMarkets } from '../account/state.ts'
import { markets } from '../market/state.ts'
import type { MarketAccount, Money } from './margin.ts'
import { marketAccountOf } from './market-account.ts'

/** What the signed-in account has in a market, without one of its orders; null while it is not known. */
export function currentAccount(
  symbol: string,
  without: Order | null = null,
): (MarketAccount & Money) | null {
  if (!summary.value) return null
  const mark = markets.value.find((each) => each.symbol === symbol)?.mark ?? 0n
  return marketAccountOf(
    { summary: summary.value, used: usedMarkets.value, orders: orders.value },
    { symbol, mark, isIsolated: isIsolated(symbol), ...marketLimits(symbol) },
    without,
  )
}
