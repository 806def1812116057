import { MICRO, RATE_ONE } from '../base/units.ts'
import { cancel, openOrderList } from '../book/open-orders.ts'
import { addBalance } from '../ledger/balances.ts'
import { accountMargin, isolatedEquity, type Margin, refresh } from '../margin/margin.ts'
import { checkAccountSolvency, isCrossFailing, isIsolatedFailing } from '../margin/solvency.ts'
import { cancelAlgo, marketAlgos } from '../orders/conditional/tree.ts'
import { openMarketAccount } from '../state/accounts.ts'
import { type ExchangeState, nextEngineId } from '../state/exchange.ts'
import { notionalAt } from '../state/markets.ts'
import type { Liquidation } from '../state/observer.ts'
import type { Account, MarketAccount } from '../state/state.ts'
import type { EngineWorld } from '../state/world.ts'
import { canFundCarry, deleverage, type Lot, takeOver, transferLot } from './takeover.ts'

/** By liquidation tier: below this notional, positions are taken over as a whole. */
const WHOLE_TAKEOVER_BELOW = { 1: 10_000 * MICRO, 2: 5_000 * MICRO } as const
const ROUNDS_MAX = 64

/**
 * Liquidates the parts of an account that are below their maintenance margin, isolated positions first. For cross
 * margin:
 * - The account's orders are cancelled.
 * - If the account is still below its maintenance margin, positions are taken over at the mark price until its initial
 * margin is restored.
 * - If less than the liquidator's fee is left, the insurance fund takes all positions and the balance.
 * - If the fund is too small for a position, accounts on the other side are deleveraged.
 */
export function liquidate(world: EngineWorld, account: Account, atMs: number): Liquidation[] {
  const { exchange } = world
  exchange.failing.delete(account)
  const records: Liquidation[] = []
  for (const marketAccount of account.marketAccounts.values())
    if (marketAccount.isolated && isIsolatedFailing(marketAccount))
      records.push(liquidateIsolated(world, marketAccount, atMs))
  if (isCrossFailing(accountMargin(account))) {
    cancelAll(exchange, account, atMs)
    // Cancelling isolated orders releases collateral, which may already be enough.
    if (isCrossFailing(accountMargin(account))) records.push(liquidateCross(world, account, atMs))
  }
  checkAccountSolvency(exchange, account)
  for (const record of records)
    for (const { liquidated } of exchange.observers) liquidated?.(record)
  return records
}

function liquidateCross(world: EngineWorld, account: Account, atMs: number): Liquidation {
  const record = newLiquidation(world, account, accountMargin(account), false, atMs)
  account.status = 'liquidating'
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const margin = accountMargin(account)
    if (margin.notional === 0 || margin.collateral >= margin.initialWithOrders) break
    if (isBankrupt(account, margin)) {
      moveAllToFund(world, record, atMs)
      break
    }
    for (const lot of nextLots(account, margin)) takeOver(world, record, lot, atMs)
  }
  account.status = 'active'
  return record
}

/** Cancels all orders of an account, including algo orders. */
function cancelAll(exchange: ExchangeState, account: Account, atMs: number): void {
  for (const order of openOrderList(account)) cancel(exchange, order, atMs)
  for (const algo of [...account.algos.values()]) cancelAlgo(exchange, algo, atMs)
}

/** Liquidates a whole isolated position. */
function liquidateIsolated(
  world: EngineWorld,
  marketAccount: MarketAccount,
  atMs: number,
): Liquidation {
  const { exchange } = world
  const { account } = marketAccount
  for (const order of openOrderList(account))
    if (order.marketAccount === marketAccount) cancel(exchange, order, atMs)
  for (const algo of marketAlgos(marketAccount)) cancelAlgo(exchange, algo, atMs)
  refresh(marketAccount)
  const margin = {
    collateral: isolatedEquity(marketAccount),
    notional: marketAccount.notional,
    maintenance: marketAccount.maintenance,
  }
  const record = newLiquidation(world, account, margin, true, atMs)
  const lot = { marketAccount, quantity: marketAccount.quantity }
  const leftBefore = account.holding
  const fee = marketAccount.market.spec.liquidatorFee
  const isBankrupt = margin.collateral * RATE_ONE < margin.notional * fee
  if (isBankrupt) moveLotToFund(world, record, lot, atMs)
  else takeOver(world, record, lot, atMs)
  settleClosedResult(marketAccount)
  const gained = account.holding - leftBefore
  // The insurance fund pays an isolated position's deficit. The rest of the account does not pay for it.
  if (isBankrupt || gained < 0) transfer(world, record, gained)
  return record
}

/**
 * Moves all positions to the insurance fund. A position that the fund cannot carry is closed by deleveraging accounts
 * on the other side.
 */
function moveAllToFund(world: EngineWorld, record: Liquidation, atMs: number): void {
  const { account } = record
  for (const marketAccount of crossPositions(account))
    moveLotToFund(world, record, { marketAccount, quantity: marketAccount.quantity }, atMs)
  for (const marketAccount of account.marketAccounts.values())
    if (!marketAccount.isolated && marketAccount.quantity === 0) settleClosedResult(marketAccount)
  transfer(world, record, account.holding)
  for (const [token, amount] of account.tokens) addBalance(world, world.fund, token, amount)
  account.tokens.clear()
  account.tokenValue = 0
}

function moveLotToFund(world: EngineWorld, record: Liquidation, lot: Lot, atMs: number): void {
  const { market } = lot.marketAccount
  const notional = notionalAt(market.spec, market.mark, Math.abs(lot.quantity))
  const lacking = Math.max(0, (-record.collateral * notional) / record.notional)
  const left = canFundCarry(world, notional, lacking)
    ? lot.quantity
    : deleverage(world, record, lot, atMs)
  if (left === 0) return
  const terms = {
    receiver: openMarketAccount(world.fund, market),
    by: 'fund',
    price: market.mark,
    liquidatorFee: 0,
    fundFee: 0,
  } as const
  transferLot(
    world,
    record,
    { marketAccount: lot.marketAccount, quantity: left },
    { ...terms, atMs },
  )
}

/** Moves the result of a closed position into the balance. */
function settleClosedResult(marketAccount: MarketAccount): void {
  marketAccount.account.holding -= marketAccount.cost - marketAccount.margin
  marketAccount.cost = 0
  marketAccount.margin = 0
  marketAccount.accruedFunding = 0
  marketAccount.stamp = -1
}

function transfer({ fund }: EngineWorld, record: Liquidation, amount: number): void {
  record.account.holding -= amount
  fund.holding += amount
  record.transferred += amount
}

function isBankrupt(account: Account, { collateral, notional }: Margin): boolean {
  const rates = crossPositions(account).map(({ market }) => market.spec.liquidatorFee)
  return collateral * RATE_ONE < notional * Math.max(...rates)
}

function crossPositions({ marketAccounts }: Account): MarketAccount[] {
  const positions = [...marketAccounts.values()].filter(
    ({ isolated, quantity }) => !isolated && quantity !== 0,
  )
  for (const position of positions) refresh(position)
  return positions.sort((a, b) => b.notional - a.notional || a.market.number - b.market.number)
}

/** The lots that are taken over next to restore the initial margin. */
function nextLots(account: Account, margin: Margin): Lot[] {
  const positions = crossPositions(account)
  const single = positions.find(({ market }) => market.spec.liquidationTier === 2)
  const shrinking = single ? [single] : positions
  const tier = single ? 2 : 1
  const notional = shrinking.reduce((sum, marketAccount) => sum + marketAccount.notional, 0)
  const gained = shrinking.reduce((sum, marketAccount) => sum + freedMargin(marketAccount), 0)
  const missing = margin.initialWithOrders - margin.collateral
  const share =
    notional < WHOLE_TAKEOVER_BELOW[tier] || gained <= 0 ? 1 : Math.min(1, missing / gained)
  return shrinking.map((marketAccount) => ({
    marketAccount,
    quantity:
      Math.sign(marketAccount.quantity) * Math.ceil(Math.abs(marketAccount.quantity) * share),
  }))
}

/** The margin that closing a whole position releases: its initial margin minus the fee. */
function freedMargin({ initialWithOrders, notional, market }: MarketAccount): number {
  return initialWithOrders - (notional * market.spec.liquidationFee) / RATE_ONE
}

function newLiquidation(
  { exchange }: EngineWorld,
  account: Account,
  { collateral, notional, maintenance }: Pick<Margin, 'collateral' | 'notional' | 'maintenance'>,
  isolated: boolean,
  atMs: number,
): Liquidation {
  const id = nextEngineId(exchange)
  const figures = { collateral, notional, maintenance }
  return { id, atMs, account, isolated, ...figures, transferred: 0, takeovers: [] }
}

/**
 * Liquidates a whole account whatever its margin: cancels its orders and moves all its positions at the mark price,
 * with liquidation fees. The insurance fund is never liquidated.
 */
export function liquidateWhole(world: EngineWorld, account: Account, atMs: number): Liquidation[] {
  const { exchange } = world
  if (account.kind === 'fund') return []
  cancelAll(exchange, account, atMs)
  const isolated = account.marketAccounts
    .values()
    .filter((marketAccount) => marketAccount.isolated && marketAccount.quantity !== 0)
  const records = [...isolated].map((marketAccount) =>
    liquidateIsolated(world, marketAccount, atMs),
  )
  const cross = crossPositions(account)
  if (cross.length > 0) {
    const record = newLiquidation(world, account, accountMargin(account), false, atMs)
    for (const marketAccount of cross)
      takeOver(world, record, { marketAccount, quantity: marketAccount.quantity }, atMs)
    records.push(record)
  }
  checkAccountSolvency(exchange, account)
  for (const record of records)
    for (const { liquidated } of exchange.observers) liquidated?.(record)
  return records
}
