import type { ExchangeState } from '../state/exchange.ts'
import type { Account, EngineMarket, MarketAccount } from '../state/state.ts'
import { isolatedEquity, type Margin, refresh } from './margin.ts'

/**
 * Checks an account's maintenance margin. An account below it joins `exchange.failing`. For any other account, narrows
 * the range of mark prices within which its markets need no further check.
 *
 * Let r ≤ 1 be the largest relative move of any mark price, N a position's notional, and MM its maintenance margin.
 * Equity falls by at most r × N. The maintenance margin grows with N^1.8, so it rises by at most 2.5 r × MM. The range
 * r = slack ÷ Σ(N + 2.5 MM) is therefore safe.
 */
export function checkAccountSolvency(exchange: ExchangeState, account: Account): void {
  if (account.kind === 'fund') return
  let equity = account.holding + account.tokenValue
  let maintenance = 0
  let swing = 0
  for (const marketAccount of account.used) {
    if (marketAccount.stamp !== marketAccount.market.stamp) refresh(marketAccount)
    equity -= marketAccount.frozen
    if (marketAccount.quantity === 0 && marketAccount.cost === 0) continue
    if (marketAccount.isolated) watchIsolated(exchange, marketAccount)
    else {
      equity += marketAccount.pnl
      maintenance += marketAccount.maintenance
      swing += marginSwing(marketAccount)
    }
  }
  if (swing === 0) return
  if (equity < maintenance) exchange.failing.add(account)
  narrowAll(account, shareOfSwing(equity - maintenance, swing))
}

/**
 * Checks an account after its open orders in an isolated market have changed, because they reserve collateral that its
 * cross positions need.
 */
export function checkAfterFrozenChange(
  exchange: ExchangeState,
  { isolated, account }: MarketAccount,
): void {
  if (isolated) checkAccountSolvency(exchange, account)
}

/** Whether the mark price has left the range within which no holder can be below maintenance margin. */
export function hasLeftSafeRange({ mark, safeLow, safeHigh }: EngineMarket): boolean {
  return mark < safeLow || mark > safeHigh
}

/** Checks all holders of a market and computes its safe range again. */
export function checkMarketSolvency(exchange: ExchangeState, market: EngineMarket): void {
  market.safeLow = 0
  market.safeHigh = Number.POSITIVE_INFINITY
  for (const { account } of market.holders) checkAccountSolvency(exchange, account)
}

/** Whether an isolated position is below its maintenance margin. */
export function isIsolatedFailing(marketAccount: MarketAccount): boolean {
  if (marketAccount.stamp !== marketAccount.market.stamp) refresh(marketAccount)
  return marketAccount.quantity !== 0 && isolatedEquity(marketAccount) < marketAccount.maintenance
}

/** Whether an account's cross positions are below their total maintenance margin. */
export function isCrossFailing({ notional, collateral, maintenance }: Margin): boolean {
  return notional > 0 && collateral < maintenance
}

function watchIsolated(exchange: ExchangeState, marketAccount: MarketAccount): void {
  if (marketAccount.quantity === 0) return
  if (isIsolatedFailing(marketAccount)) exchange.failing.add(marketAccount.account)
  const slack = isolatedEquity(marketAccount) - marketAccount.maintenance
  narrowSafeRange(marketAccount.market, shareOfSwing(slack, marginSwing(marketAccount)))
}

const MAINTENANCE_GROWTH = 2.5

function marginSwing({ notional, maintenance }: MarketAccount): number {
  return notional + MAINTENANCE_GROWTH * maintenance
}

/** Allowance for rounding, since amounts are rounded up to one micro-USDC per market. */
const SLACK_MIN = 64

function shareOfSwing(slack: number, swing: number): number {
  return Math.min(1, Math.max(0, slack - SLACK_MIN) / swing)
}

function narrowAll({ used }: Account, share: number): void {
  for (const { isolated, quantity, market } of used)
    if (!isolated && quantity !== 0) narrowSafeRange(market, share)
}

function narrowSafeRange(market: EngineMarket, share: number): void {
  const low = Math.ceil(market.mark * (1 - share))
  const high = Math.floor(market.mark * (1 + share))
  if (low > market.safeLow) market.safeLow = low
  if (high < market.safeHigh) market.safeHigh = high
}
