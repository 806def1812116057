import { amountAtRate, RATE_ONE } from '../base/units.ts'
import { cancelIdle } from '../book/open-orders.ts'
import { accountMargin, isolatedEquity, refresh } from '../margin/margin.ts'
import { fillPosition } from '../margin/positions.ts'
import { checkAccountSolvency } from '../margin/solvency.ts'
import { openMarketAccount } from '../state/accounts.ts'
import { nextEngineId } from '../state/exchange.ts'
import { notionalAt } from '../state/markets.ts'
import type { Liquidation, Takeover } from '../state/observer.ts'
import { plan } from '../state/queue.ts'
import type { Account, MarketAccount } from '../state/state.ts'
import type { EngineWorld, Scene } from '../state/world.ts'

/** A part of a position to be taken over. `quantity` has the position's sign. */
export type Lot = { readonly marketAccount: MarketAccount; readonly quantity: number }

/** Free collateral that a liquidator must have, as a multiple of the margin of the lot that it takes over. */
const FREE_COLLATERAL_MULTIPLE = 2
const UNWIND_AFTER_MS = 5000
const CLAIM_AFTER_MS = 60_000

/**
 * Moves a lot at the mark price to the liquidator with the most free collateral, or to the insurance fund if no
 * liquidator has enough. The liquidator's fee is paid first. The fund receives the rest of the amount that the user can
 * pay.
 */
export function takeOver(world: EngineWorld, record: Liquidation, lot: Lot, atMs: number): void {
  const { market } = lot.marketAccount
  const notional = notionalAt(market.spec, market.mark, Math.abs(lot.quantity))
  const share = Math.max(0, record.collateral / record.notional)
  const userRate = Math.min(market.spec.liquidationFee, Math.floor(share * RATE_ONE))
  const userFee = amountAtRate(notional, userRate)
  const liquidatorFee = Math.min(userFee, amountAtRate(notional, market.spec.liquidatorFee))
  const liquidator = richestLiquidator(world, record.account, notional)
  const fee = liquidator ? liquidatorFee : 0
  transferLot(world, record, lot, {
    receiver: openMarketAccount(liquidator ?? world.fund, market),
    by: liquidator ? 'liquidator' : 'fund',
    price: market.mark,
    liquidatorFee: fee,
    fundFee: userFee - fee,
    atMs,
  })
}

type Terms = Pick<Takeover, 'by' | 'price' | 'liquidatorFee' | 'fundFee'> & {
  /** The position of the receiving account. The lot is added to it. */
  readonly receiver: MarketAccount
  readonly atMs: number
}

/** Moves a lot from its account to the receiver, and charges the fees of both accounts. */
export function transferLot(world: EngineWorld, record: Liquidation, lot: Lot, terms: Terms): void {
  const { exchange, fund } = world
  const { marketAccount, quantity } = lot
  const { market } = marketAccount
  const { receiver, by, price, liquidatorFee, fundFee, atMs } = terms
  const { account: to, isolated } = receiver
  const held = marketAccount.quantity
  fillPosition(exchange, marketAccount, {
    quantity: -quantity,
    price,
    fee: liquidatorFee + fundFee,
    liquidation: { liquidatorFee, fundFee },
    atMs,
  })
  fillPosition(exchange, receiver, { quantity, price, fee: -liquidatorFee, atMs })
  const share = openMarketAccount(fund, market)
  share.cost -= fundFee
  share.stamp = -1
  const part = { market, to, isolated, by, quantity, held, price, liquidatorFee, fundFee }
  record.takeovers.push(part)
  for (const changed of [marketAccount, receiver]) {
    cancelIdle(exchange, changed, atMs)
    if (changed.account.algos.size > 0) exchange.changed.add(changed)
  }
  checkAccountSolvency(exchange, to)
  if (by === 'liquidator') planUnwind(world, to, market.number, atMs)
  if (by === 'fund') plan(world.queue, atMs + CLAIM_AFTER_MS, 'claim', market.number)
}

/** The liquidator with the most free collateral; null if a position of this size is too large for every liquidator. */
function richestLiquidator(
  { agents }: EngineWorld,
  except: Account,
  notional: number,
): Account | null {
  let best: Account | null = null
  let most = (notional / MARGIN_DIVISOR) * FREE_COLLATERAL_MULTIPLE
  for (const agent of agents) {
    const { account } = agent
    if (agent.role !== 'liquidator' || account === except || account.status !== 'active') continue
    const { collateral, initialWithOrders } = accountMargin(account)
    const free = collateral - initialWithOrders
    if (free <= most) continue
    best = account
    most = free
  }
  return best
}

/** Liquidators count a margin of one tenth of the notional. */
const MARGIN_DIVISOR = 10

/** Plans when a liquidator starts to sell the positions that it took over. */
function planUnwind(
  { queue, agentOf }: EngineWorld,
  account: Account,
  market: number,
  atMs: number,
): void {
  const agent = agentOf.get(account.number)
  if (agent?.role === 'liquidator')
    plan(queue, atMs + UNWIND_AFTER_MS, 'unwind', agent.number, market)
}

/**
 * Lets a liquidator take the insurance fund's position in a market, at the mark price with a discount. Returns the
 * quantity that the fund still holds.
 */
export function claimFromFund(world: EngineWorld, scene: Scene, atMs: number): number {
  const { exchange, fund } = world
  const { market, listed } = scene
  const held = openMarketAccount(fund, market)
  const { quantity } = held
  if (quantity === 0) return 0
  const notional = notionalAt(market.spec, market.mark, Math.abs(quantity))
  const liquidator = richestLiquidator(world, fund, notional)
  if (!liquidator) return quantity
  const discount = Math.floor(notional * Number(listed.tier.claimDiscount))
  const terms = { price: market.mark, atMs }
  fillPosition(exchange, held, { ...terms, quantity: -quantity, fee: discount })
  fillPosition(exchange, openMarketAccount(liquidator, market), {
    ...terms,
    quantity,
    fee: -discount,
  })
  checkAccountSolvency(exchange, liquidator)
  planUnwind(world, liquidator, market.number, atMs)
  const claimed = {
    id: nextEngineId(exchange),
    market,
    to: liquidator,
    quantity,
    discount,
    ...terms,
  }
  for (const observer of exchange.observers) observer.claimed?.(claimed)
  return 0
}

/** Minimum collateral of the insurance fund as a share of its positions' notional. */
const FUND_RATIO_MIN = 0.25

/** Whether the insurance fund can carry an additional notional and pay an account's deficit. */
export function canFundCarry({ fund }: EngineWorld, notional: number, lacking: number): boolean {
  const { collateral, notional: held } = accountMargin(fund)
  return collateral - lacking >= FUND_RATIO_MIN * (held + notional)
}

/**
 * Auto-deleveraging: closes a lot against opposite positions at the bankruptcy price of the lot's owner. Positions with
 * the largest gain × leverage are closed first. Returns the quantity that found no counterpart.
 */
export function deleverage(
  world: EngineWorld,
  record: Liquidation,
  lot: Lot,
  atMs: number,
): number {
  const price = bankruptcyPrice(record, lot)
  let left = lot.quantity
  for (const other of ranked(lot.marketAccount)) {
    if (left === 0) break
    const taken = Math.sign(left) * Math.min(Math.abs(left), Math.abs(other.quantity))
    const terms = {
      receiver: other,
      by: 'adl',
      price,
      liquidatorFee: 0,
      fundFee: 0,
      atMs,
    } as const
    transferLot(world, record, { marketAccount: lot.marketAccount, quantity: taken }, terms)
    left -= taken
  }
  return left
}

/** The positions on the other side, largest gain × leverage first. */
function ranked({ market, quantity, account }: MarketAccount): MarketAccount[] {
  return [...market.holders]
    .filter((other) => other.account !== account && other.quantity < 0 === quantity > 0)
    .map((marketAccount) => ({ marketAccount, score: deleverageScore(marketAccount) }))
    .sort(
      (a, b) =>
        b.score - a.score ||
        a.marketAccount.account.number - b.marketAccount.account.number ||
        Number(a.marketAccount.isolated) - Number(b.marketAccount.isolated),
    )
    .map(({ marketAccount }) => marketAccount)
}

function deleverageScore(marketAccount: MarketAccount): number {
  if (marketAccount.stamp !== marketAccount.market.stamp) refresh(marketAccount)
  const { pnl, notional, account, isolated } = marketAccount
  // Only its own margin backs an isolated position.
  const backing = isolated ? isolatedEquity(marketAccount) : accountMargin(account).collateral
  const leverage = notional / Math.max(1, backing)
  return pnl > 0 ? (pnl / notional) * leverage : pnl / notional / Math.max(leverage, 1 / RATE_ONE)
}

/** The bankruptcy price in ticks: the mark price at which the account's equity is zero. */
function bankruptcyPrice(
  { collateral, notional }: Liquidation,
  { marketAccount, quantity }: Lot,
): number {
  const { market } = marketAccount
  const value = notionalAt(market.spec, market.mark, quantity)
  const share = (collateral * Math.abs(value)) / notional
  return Math.max(1, Math.round(market.mark - share / (quantity * market.spec.unit)))
}
