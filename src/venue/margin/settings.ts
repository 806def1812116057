import { LEVERAGE } from '../messages/limits.ts'
import { applyLeverage, applyMode, isInUse, marketAccountOf } from '../state/accounts.ts'
import type { Exchange } from '../state/exchange.ts'
import { leverageMax } from '../state/margin-rates.ts'
import { REJECTIONS, type Rejection } from '../state/rejections.ts'
import type { Account, Market, MarketAccount } from '../state/state.ts'
import { freeCollateralOf, marginOf, refresh } from './margin.ts'
import { watch } from './solvency.ts'

/** A leverage for one market or all, and for cross or isolated positions. */
export type LeverageChange = {
  readonly leverage: number
  readonly market: Market | null
  readonly isolated: boolean
}

/**
 * Sets the account's leverage in one market, or, without one, in all: a market's base rate still caps it. Refused when
 * open positions and orders would lack margin or exceed the notional it allows, and in one market that is in use
 * isolated; then it stays as it was. In all markets, those that are in use isolated keep what they have.
 */
export function setLeverage(
  exchange: Exchange,
  account: Account,
  change: LeverageChange,
): Rejection | null {
  const { leverage, market, isolated } = change
  const max = market ? Math.min(LEVERAGE.max, leverageMax(market.spec)) : LEVERAGE.max
  if (!(leverage >= LEVERAGE.min && leverage <= max)) return REJECTIONS.leverage
  const asked = market ? [marketAccountOf(account, market)] : [...account.marketAccounts.values()]
  const changed = asked.filter((marketAccount) => !isHeldIsolated(marketAccount, isolated))
  if (market && changed.length === 0) return REJECTIONS.symbolInUse
  const refused = applyAll(account, changed, change)
  if (refused) return refused
  if (!market && isolated) account.isolatedLeverage = leverage
  else if (!market) account.leverage = leverage
  watch(exchange, account)
  return null
}

function applyAll(
  account: Account,
  changed: readonly MarketAccount[],
  { leverage, isolated }: LeverageChange,
): Rejection | null {
  const active = changed.filter((marketAccount) => marketAccount.isolated === isolated)
  const before = active.map((marketAccount) => marketAccount.leverage)
  for (const marketAccount of active) applyLeverage(marketAccount, leverage)
  if (active.length > 0 && !isCovered(account)) {
    for (const [at, marketAccount] of active.entries())
      applyLeverage(marketAccount, before[at] ?? 1)
    return REJECTIONS.margin
  }
  for (const marketAccount of changed)
    if (marketAccount.isolated !== isolated)
      marketAccount.spareLeverage = Math.min(leverage, leverageMax(marketAccount.market.spec))
  return null
}

/** Whether the account uses the market in isolated mode, whose margin was reserved at the leverage at that time. */
function isHeldIsolated(marketAccount: MarketAccount, isolated: boolean): boolean {
  return isolated && marketAccount.isolated && isInUse(marketAccount)
}

/** Makes the account's orders in a market cross or isolated. Refused while the market is in use. */
export function setMarginMode(marketAccount: MarketAccount, isolated: boolean): Rejection | null {
  if (marketAccount.isolated === isolated) return null
  if (isInUse(marketAccount)) return REJECTIONS.symbolInUse
  applyMode(marketAccount, isolated)
  return null
}

/**
 * Moves balance into an isolated position, or, below zero, out of it. Refused when the account has less, or the position
 * would have less than its initial margin.
 */
export function moveMargin(
  exchange: Exchange,
  marketAccount: MarketAccount,
  amount: number,
): Rejection | null {
  const { account } = marketAccount
  if (account.status === 'liquidating') return REJECTIONS.liquidating
  if (!marketAccount.isolated || marketAccount.quantity === 0) return REJECTIONS.noIsolatedPosition
  if (amount > Math.min(account.holding, freeCollateralOf(marginOf(account))))
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

function isCovered(account: Account): boolean {
  const { collateral, initialWithOrders } = marginOf(account)
  if (collateral < initialWithOrders) return false
  return account.marketAccounts
    .values()
    .every(({ notionalWithOrders, notionalMax }) => notionalWithOrders <= notionalMax)
}
