import { isolatedEquity, marginOf, refresh } from '../margin/margin.ts'
import { worthOf } from '../markets.ts'
import type { Liquidation } from '../observer.ts'
import type { Exposure } from '../state.ts'
import { ONE } from '../units.ts'
import type { World } from '../world.ts'
import { type Lot, move } from './takeover.ts'

/** The insurance fund takes nothing over that would leave it with less collateral than this part of what it holds. */
const FUND_RATIO_MIN = 0.25

/** Whether the insurance fund can carry another notional and what an account lacks. */
export function fundCarries({ fund }: World, notional: number, lacking: number): boolean {
  const { collateral, notional: held } = marginOf(fund)
  return collateral - lacking >= FUND_RATIO_MIN * (held + notional)
}

/**
 * Closes a lot against the accounts on the other side that earn the most with the most leverage, at the price at which
 * its owner is left with nothing. Answers the quantity for which there was nobody.
 */
export function deleverage(world: World, record: Liquidation, lot: Lot, atMs: number): number {
  const price = bankruptcyPrice(record, lot)
  let left = lot.quantity
  for (const other of ranked(lot.exposure)) {
    if (left === 0) break
    const taken = Math.sign(left) * Math.min(Math.abs(left), Math.abs(other.quantity))
    const terms = {
      to: other.account,
      by: 'adl',
      price,
      liquidatorFee: 0,
      fundFee: 0,
      atMs,
    } as const
    move(world, record, { exposure: lot.exposure, quantity: taken }, terms)
    left -= taken
  }
  return left
}

/** Holders of the other side, those first whose gain and leverage are largest. */
function ranked({ market, quantity, account }: Exposure): Exposure[] {
  return [...market.holders]
    .filter((other) => other.account !== account && other.quantity < 0 === quantity > 0)
    .map((exposure) => ({ exposure, score: scoreOf(exposure) }))
    .sort((a, b) => b.score - a.score || a.exposure.account.number - b.exposure.account.number)
    .map(({ exposure }) => exposure)
}

function scoreOf(exposure: Exposure): number {
  if (exposure.stamp !== exposure.market.stamp) refresh(exposure)
  const { pnl, notional, account, isolated } = exposure
  // What backs an isolated position is its own margin, however much the account has beside it.
  const backing = isolated ? isolatedEquity(exposure) : marginOf(account).collateral
  const leverage = notional / Math.max(1, backing)
  return pnl > 0 ? (pnl / notional) * leverage : pnl / notional / Math.max(leverage, 1 / ONE)
}

/** Where the mark would have to be for the account to have nothing left, on a tick. */
function bankruptcyPrice(
  { collateral, notional }: Liquidation,
  { exposure, quantity }: Lot,
): number {
  const { market } = exposure
  const value = worthOf(market.spec, market.mark, quantity)
  const share = (collateral * Math.abs(value)) / notional
  return Math.max(1, Math.round(market.mark - share / (quantity * market.spec.unit)))
}
