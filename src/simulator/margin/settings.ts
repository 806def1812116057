import { LEVERAGE } from '../messages/limits.ts'
import {
  applyLeverage,
  isInUse,
  isIsolatedByDefault,
  modeKey,
  openMarketAccount,
} from '../state/accounts.ts'
import type { ExchangeState } from '../state/exchange.ts'
import { leverageMax } from '../state/margin-rates.ts'
import { REJECTIONS, type Rejection } from '../state/rejections.ts'
import type { Account, EngineMarket, MarketAccount } from '../state/state.ts'
import { accountMargin, freeCollateralAmount, refresh } from './margin.ts'
import { watch } from './solvency.ts'

/** A leverage for one market or all, in one margin mode. */
export type LeverageChange = {
  readonly leverage: number
  readonly market: EngineMarket | null
  readonly isolated: boolean
}

/**
 * Sets the account's leverage of one margin mode in one market, or in all markets without one. A market's base rate
 * still caps it.
 *
 * Rejected, without changes:
 * - The leverage is out of bounds.
 * - Open positions and orders would lack margin or exceed the notional that the leverage allows.
 * - The one market is in use with isolated margin.
 *
 * A change of all markets skips those in use with isolated margin.
 */
export function setLeverage(
  exchange: ExchangeState,
  account: Account,
  change: LeverageChange,
): Rejection | null {
  const { leverage, market, isolated } = change
  const max = market ? Math.min(LEVERAGE.max, leverageMax(market.spec)) : LEVERAGE.max
  if (!(leverage >= LEVERAGE.min && leverage <= max)) return REJECTIONS.leverage
  const asked = market
    ? [openMarketAccount(account, market, isolated)]
    : account.used.filter((own) => own.isolated === isolated)
  // An isolated position reserved its margin at the leverage of that time.
  const changed = isolated ? asked.filter((own) => !isInUse(own)) : asked
  if (market && changed.length === 0) return REJECTIONS.symbolInUse
  if (!applyIfCovered(account, changed, change)) return REJECTIONS.margin
  if (!market && isolated) account.isolatedLeverage = leverage
  else if (!market) account.leverage = leverage
  watch(exchange, account)
  return null
}

/** Sets the leverage in all these markets if the account can carry it. Returns whether it can. */
function applyIfCovered(
  account: Account,
  changed: readonly MarketAccount[],
  { leverage, isolated }: LeverageChange,
): boolean {
  const before = changed.map((own) => own.leverage)
  for (const own of changed) applyLeverage(own, leverage)
  if (changed.length === 0 || isCovered(account, isolated)) return true
  for (const [at, own] of changed.entries()) applyLeverage(own, before[at] ?? 1)
  return false
}

/**
 * Makes the account's orders in a market cross or isolated unless they name a mode. Refused while the market is in use
 * in the present default mode.
 */
export function setMarginMode(
  account: Account,
  market: EngineMarket,
  isolated: boolean,
): Rejection | null {
  const { isolatedMarkets, marketAccounts } = account
  const isNow = isIsolatedByDefault(account, market)
  if (isNow === isolated) return null
  const held = marketAccounts.get(modeKey(market.number, isNow))
  if (held && isInUse(held)) return REJECTIONS.symbolInUse
  if (isolated) isolatedMarkets.add(market.number)
  else isolatedMarkets.delete(market.number)
  return null
}

/**
 * Moves balance into an isolated position; below zero, out of it. Refused when the account has less than the amount,
 * or when the position would have less than its initial margin.
 */
export function moveMargin(
  exchange: ExchangeState,
  marketAccount: MarketAccount,
  amount: number,
): Rejection | null {
  const { account } = marketAccount
  if (account.status === 'liquidating') return REJECTIONS.liquidating
  if (marketAccount.quantity === 0) return REJECTIONS.noIsolatedPosition
  if (amount > Math.min(account.holding, freeCollateralAmount(accountMargin(account))))
    return REJECTIONS.balance
  if (amount < 0 && -amount > spareMargin(marketAccount)) return REJECTIONS.balance
  marketAccount.margin += amount
  account.holding -= amount
  watch(exchange, account)
  return null
}

/** The margin of an isolated position above its initial margin. */
function spareMargin(marketAccount: MarketAccount): number {
  refresh(marketAccount)
  const { margin, pnl, notional, leverage } = marketAccount
  return Math.min(margin, margin + Math.min(0, pnl)) - Math.ceil(notional / leverage)
}

/** Whether the account's collateral and its leverages of a margin mode carry its positions and orders. */
function isCovered(account: Account, isolated: boolean): boolean {
  const { collateral, initialWithOrders } = accountMargin(account)
  if (collateral < initialWithOrders) return false
  return account.used.every(
    (own) => own.isolated !== isolated || own.notionalWithOrders <= own.notionalMax,
  )
}
