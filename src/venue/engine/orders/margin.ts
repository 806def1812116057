import { isolatedMargin, marginOf, quantityWithOrders, refresh } from '../margin/margin.ts'
import { worthOf } from '../markets.ts'
import { REJECTIONS, type Rejection } from '../rejections.ts'
import type { Exposure } from '../state.ts'
import { AMOUNT_MAX, ONE } from '../units.ts'

/**
 * Why an account cannot carry its orders, the newest already counted among them: its collateral, less what that one's
 * immediate fills cost it in fees and against the mark, does not cover the initial margin of all positions and orders;
 * or the market's exposure would go beyond the account's max_notional, or all open interest beyond the market's.
 */
export function checkMargin(exposure: Exposure, cost: number): Rejection | null {
  const { collateral, initialWithOrders } = marginOf(exposure.account)
  if (collateral - cost < initialWithOrders) return REJECTIONS.margin
  if (exposure.isolated && !coversLoss(exposure, cost)) return REJECTIONS.margin
  return checkNotional(exposure) ?? checkOpenInterest(exposure)
}

function checkNotional(exposure: Exposure): Rejection | null {
  if (exposure.stamp !== exposure.market.stamp) refresh(exposure)
  const { notional, notionalWithOrders, notionalMax } = exposure
  return notionalWithOrders > Math.max(notional, Math.min(notionalMax, AMOUNT_MAX))
    ? REJECTIONS.maxNotional
    : null
}

function checkOpenInterest(exposure: Exposure): Rejection | null {
  const { market, quantity } = exposure
  const added = quantityWithOrders(exposure) - Math.abs(quantity)
  const after = worthOf(market.spec, market.mark, market.openInterest + added)
  return added > 0 && after > market.spec.openInterestMax ? REJECTIONS.openInterest : null
}

/** A new isolated position must not be born below its maintenance margin. */
function coversLoss(exposure: Exposure, cost: number): boolean {
  if (cost === 0) return true
  const { market, maintenance, margin, pnl } = exposure
  const opened = worthOf(market.spec, market.mark, quantityWithOrders(exposure))
  const held = worthOf(market.spec, market.mark, Math.abs(exposure.quantity))
  const added = Math.max(0, opened - held)
  const rate = market.spec.baseMmr / ONE
  return margin + pnl + isolatedMargin(exposure, added) - cost >= maintenance + added * rate
}
