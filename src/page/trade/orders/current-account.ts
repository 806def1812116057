import type { Order } from '../account/rows.ts'
import { isIsolated, marketLimits, orders, usedMarkets } from '../account/state.ts'
import { summary } from '../account/summary.ts'
import { markOf } from '../market/state.ts'
import type { MarketAccount } from './margin.ts'
import { marketAccountOf } from './market-account.ts'

/** What the signed-in account has in a market and margin mode, without one of its orders; null while it is not known. */
export function currentAccount(
  symbol: string,
  isOwn = isIsolated(symbol),
  without: Order | null = null,
): MarketAccount | null {
  if (!summary.value) return null
  return marketAccountOf(
    { summary: summary.value, used: usedMarkets.value, orders: orders.value },
    { symbol, mark: markOf(symbol), isIsolated: isOwn, ...marketLimits(symbol) },
    without,
  )
}
