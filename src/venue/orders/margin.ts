import { FEES } from '../exchange/limits.ts'
import type { Account, Exchange, Side } from '../exchange/state.ts'
import { marginOf, type PendingOrder } from '../margin/margin.ts'
import { notionalMax } from '../margin/rates.ts'
import type { Fill } from '../matching/plan.ts'
import { feeOf, larger, worthOf } from '../units.ts'
import { refusal } from '../wire/refusals.ts'

/**
 * Throws -1101 unless the account's collateral, less what the order's immediate fills cost it in fees and against the
 * mark, covers the initial margin of all positions and orders with this one; or when the market's exposure would go
 * beyond the account's max_notional.
 */
export function checkMargin(
  exchange: Exchange,
  account: Account,
  pending: PendingOrder,
  fills: readonly Fill[],
  nowMs: number,
): void {
  const after = marginOf(exchange, account, nowMs, pending)
  const exposure = after.exposures.get(pending.symbol)
  if (!exposure) return
  const { instrument, leverage, mark, notional, notionalWithOrders } = exposure
  const cost = costOf(pending.side, fills, mark)
  if (after.collateral - cost < after.initialWithOrders) throw refusal('risk')
  if (notionalWithOrders > larger(notional, notionalMax(instrument, leverage)))
    throw refusal('risk', 'The position would exceed the maximum notional')
}

/** What fills take from the account at once: taker fees, and the difference of their prices from the mark. */
function costOf(side: Side, fills: readonly Fill[], mark: bigint): bigint {
  return fills.reduce((cost, { price, quantity }) => {
    const loss = worthOf(side === 'BUY' ? price - mark : mark - price, quantity, 'ceil')
    return cost + larger(0n, loss) + feeOf(worthOf(price, quantity), FEES.takerBps)
  }, 0n)
}
