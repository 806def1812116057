import { absolute } from '../../../core/decimals.ts'
import { times } from '../../../perp/amounts.ts'
import type { Order, Position } from '../account/rows.ts'
import type { Summary } from '../account/totals.ts'
import type { MarketAccount } from './margin.ts'

/** What has been read of an account. */
export type AccountReadings = {
  readonly summary: Summary
  /** Positions, and markets with open orders alone. */
  readonly used: readonly Position[]
  readonly orders: readonly Order[]
}

/** A market, and the account's settings there as far as it holds nothing in it. */
export type MarketSettings = Pick<
  MarketAccount,
  'mark' | 'isIsolated' | 'imrFactor' | 'notionalMax'
> & { readonly symbol: string }

/** What an account has in a market and to trade with, without one of its orders. */
export function marketAccountOf(
  { summary, used, orders }: AccountReadings,
  { symbol, mark, ...settings }: MarketSettings,
  without: Order | null = null,
): MarketAccount {
  // A market may have a position of each mode: an order concerns that of its own.
  const row = used.find((each) => each.symbol === symbol && each.isIsolated === settings.isIsolated)
  const counted = orders.filter(
    (order) =>
      order.symbol === symbol &&
      order.id !== without?.id &&
      order.isIsolated === settings.isIsolated,
  )
  const { collateral, free, isShort, takerFee, makerFee } = summary
  return {
    ...settings,
    ...pendingOf(counted),
    ...{ held: row?.size ?? 0n, mark, margin: row?.margin ?? 0n, unsettled: row?.unsettled ?? 0n },
    leverage: Number(row?.leverage) || summary.leverage,
    ...{ collateral, free, isShort, takerFee, makerFee },
    otherMaintenance: otherMaintenance(used, symbol),
  }
}

/** What open orders would buy and sell: those that only reduce need no margin. */
function pendingOf(orders: readonly Order[]) {
  const sum = { buys: 0n, sells: 0n, buyValue: 0n, sellValue: 0n }
  for (const { side, size, executed, price, isReduceOnly } of orders) {
    if (isReduceOnly) continue
    const left = size - executed
    const value = times(left, price ?? 0n)
    if (side === 'BUY') {
      sum.buys += left
      sum.buyValue += value
    } else {
      sum.sells += left
      sum.sellValue += value
    }
  }
  return sum
}

/** Maintenance margin of cross positions in other markets. */
function otherMaintenance(used: readonly Position[], symbol: string): bigint {
  return used
    .filter((row) => row.symbol !== symbol && !row.isIsolated)
    .reduce((sum, row) => sum + times(times(absolute(row.size), row.mark), row.maintenance), 0n)
}
