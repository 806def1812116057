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
import { checkAccountSolvency } from './solvency.ts'

/** A change of leverage in one margin mode, for one market or for all. */
export type LeverageChange = {
  readonly leverage: number
  readonly market: EngineMarket | null
  readonly isolated: boolean
}

/**
 * Sets an account's leverage in one margin mode, for one market or for all (null). A market's base rate still limits
 * it.
 *
 * Rejected, with nothing changed, if
 * - the leverage is out of bounds,
 * - open positions and orders would lack margin or exceed the notional that the leverage allows,
 * - the one market is in use with isolated margin.
 *
 * A change for all markets skips markets that are in use with isolated margin.
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
  // Markets in use with isolated margin are skipped, because their margin was reserved at the earlier leverage.
  const changed = isolated ? asked.filter((own) => !isInUse(own)) : asked
  if (market && changed.length === 0) return REJECTIONS.symbolInUse
  if (!applyIfCovered(account, changed, change)) return REJECTIONS.margin
  if (!market && isolated) account.isolatedLeverage = leverage
  else if (!market) account.leverage = leverage
  checkAccountSolvency(exchange, account)
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
 * Sets whether the account's orders in a market are isolated or cross if they name no mode. Rejected while the market
 * is in use in the current default mode.
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
 * Moves balance into an isolated position; a negative amount moves it out. Rejected if the account has less than the
 * amount, or if the position would fall below its initial margin.
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
  checkAccountSolvency(exchange, account)
  return null
}

/** How much of an isolated position's margin exceeds its initial margin. */
function spareMargin(marketAccount: MarketAccount): number {
  refresh(marketAccount)
  const { margin, pnl, notional, leverage } = marketAccount
  return Math.min(margin, margin + Math.min(0, pnl)) - Math.ceil(notional / leverage)
}

/** Whether the collateral covers all positions and orders, and each leverage of a margin mode allows their notional. */
function isCovered(account: Account, isolated: boolean): boolean {
  const { collateral, initialWithOrders } = accountMargin(account)
  if (collateral < initialWithOrders) return false
  return account.used.every(
    (own) => own.isolated !== isolated || own.notionalWithOrders <= own.notionalMax,
  )
}
