import { DAY_MS } from '../../spec/durations.ts'
import type { Account, Position } from '../exchange/state.ts'
import { worthOf } from '../units.ts'

/** What a position won and paid in the last 24 hours, micro-USDC: `pnl` before fees and funding. */
export type DayResult = { readonly pnl: bigint; readonly fees: bigint }

/**
 * Value now less value a day ago, less what was paid for the change between: exact as far back as the account's trades
 * are kept.
 */
export function dayResultOf(
  { trades }: Account,
  { symbol, quantity }: Position,
  markOf: (atMs: number) => bigint,
  nowMs: number,
): DayResult {
  const fromMs = nowMs - DAY_MS
  let [bought, paid, fees] = [0n, 0n, 0n]
  for (const trade of trades) {
    if (trade.symbol !== symbol || trade.atMs <= fromMs) continue
    const signed = trade.side === 'BUY' ? trade.quantity : -trade.quantity
    bought += signed
    paid += worthOf(trade.price, signed)
    fees += trade.fee
  }
  const before = quantity - bought
  const valueBefore = before === 0n ? 0n : worthOf(markOf(fromMs), before)
  return { pnl: worthOf(markOf(nowMs), quantity) - valueBefore - paid, fees }
}
