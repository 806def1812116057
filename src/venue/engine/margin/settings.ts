import { applyLeverage, exposureOf, isIdle } from '../accounts.ts'
import type { Exchange } from '../exchange.ts'
import { REJECTIONS, type Rejection } from '../rejections.ts'
import type { Account, Exposure, Market } from '../state.ts'
import { freeCollateralOf, marginOf, refresh } from './margin.ts'
import { leverageMax } from './rates.ts'
import { watch } from './solvency.ts'

/** What an account may set its leverage to in a market that allows more. */
const LEVERAGE = { min: 1, max: 100 } as const

/**
 * Sets the account's leverage in one market, or, without one, in all: a market's base rate still caps it. Refused when
 * open positions and orders would lack margin or exceed the notional it allows; then it stays as it was.
 */
export function setLeverage(
  exchange: Exchange,
  account: Account,
  leverage: number,
  market: Market | null,
): Rejection | null {
  const max = market ? Math.min(LEVERAGE.max, leverageMax(market.spec)) : LEVERAGE.max
  if (!(leverage >= LEVERAGE.min && leverage <= max)) return REJECTIONS.leverage
  const changed = market ? [exposureOf(account, market)] : [...account.exposures.values()]
  const before = changed.map((exposure) => exposure.leverage)
  for (const exposure of changed) applyLeverage(exposure, leverage)
  if (!isCovered(account)) {
    for (const [at, exposure] of changed.entries()) applyLeverage(exposure, before[at] ?? 1)
    return REJECTIONS.margin
  }
  if (!market) account.leverage = leverage
  watch(exchange, account)
  return null
}

/** Makes the account's orders in a market cross or isolated. Refused while the market is in use. */
export function setMarginMode(exposure: Exposure, isolated: boolean): Rejection | null {
  if (exposure.isolated === isolated) return null
  if (!isIdle(exposure)) return REJECTIONS.symbolInUse
  exposure.isolated = isolated
  exposure.stamp = -1
  return null
}

/**
 * Moves balance into an isolated position, or, below zero, out of it. Refused when the account has not as much to give,
 * or the position would be left with less than its initial margin.
 */
export function moveMargin(
  exchange: Exchange,
  exposure: Exposure,
  amount: number,
): Rejection | null {
  const { account } = exposure
  if (!exposure.isolated || exposure.quantity === 0) return REJECTIONS.notFound
  if (amount > Math.min(account.holding, freeCollateralOf(marginOf(account))))
    return REJECTIONS.balance
  if (amount < 0 && -amount > spareMargin(exposure)) return REJECTIONS.balance
  exposure.margin += amount
  account.holding -= amount
  watch(exchange, account)
  return null
}

/** What of its margin an isolated position does not need to be opened again as it stands. */
function spareMargin(exposure: Exposure): number {
  refresh(exposure)
  const { margin, pnl, notional, leverage } = exposure
  return Math.min(margin, margin + Math.min(0, pnl)) - Math.ceil(notional / leverage)
}

function isCovered(account: Account): boolean {
  const { collateral, initialWithOrders } = marginOf(account)
  if (collateral < initialWithOrders) return false
  return account.exposures
    .values()
    .every(({ notionalWithOrders, notionalMax }) => notionalWithOrders <= notionalMax)
}
