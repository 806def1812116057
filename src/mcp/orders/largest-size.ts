import { onStep } from '../amounts.ts'
import type { OrderAccount } from './account.ts'
import type { PreparedOrder } from './ask.ts'
import { checkOrder } from './check.ts'
import { estimatedFill } from './estimate.ts'
import { marginAfter } from './margin-after.ts'

/** The share of the free collateral that stays free: prices move before an order arrives. */
const RESERVE_PERCENT = 1n

/**
 * The same order in the largest size below its own that the free collateral carries; null when not even the smallest
 * size of the market does. An estimate, as the margin is.
 */
export function largestThatFits(
  prepared: PreparedOrder,
  account: OrderAccount,
): PreparedOrder | null {
  const { market, check } = prepared
  const step = market.baseTick > 0n ? market.baseTick : 1n
  let fits = 0n
  let tooMany = onStep(check.corrected.quantity, step, 'ceil') / step
  while (tooMany - fits > 1n) {
    const steps = (fits + tooMany) / 2n
    if (isCarried(resized(prepared, steps * step), account)) fits = steps
    else tooMany = steps
  }
  const smaller = resized(prepared, fits * step)
  return checkOrder(market, smaller.check.corrected).problems.length === 0 ? smaller : null
}

function resized(prepared: PreparedOrder, quantity: bigint): PreparedOrder {
  const { check } = prepared
  return { ...prepared, check: { ...check, corrected: { ...check.corrected, quantity } } }
}

function isCarried(prepared: PreparedOrder, account: OrderAccount): boolean {
  const fill = estimatedFill(prepared, prepared.check.corrected.quantity)
  const { room, free, isOverNotional } = marginAfter(prepared, fill, account)
  return !isOverNotional && room * 100n >= free * RESERVE_PERCENT
}
