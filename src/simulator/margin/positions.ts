import { safeMulDiv } from '../base/units.ts'
import { type ExchangeState, nextEngineId } from '../state/exchange.ts'
import { notionalAt, unitaryNotional } from '../state/markets.ts'
import { BUY, type MarketAccount, type PositionLife, SELL } from '../state/state.ts'
import { isolatedMargin } from './margin.ts'

/** One execution from a position's view. `quantity` is positive for a buy, negative for a sell. `fee` is a cost. */
export type PositionFill = {
  readonly quantity: number
  readonly price: number
  readonly fee: number
  /** The two parts of a liquidation's fee, if the position is taken over. */
  readonly liquidation?: { readonly liquidatorFee: number; readonly fundFee: number }
  readonly atMs: number
}

/**
 * Applies an execution to a position. Returns the realised result of the closed part in micro-USDC, before fees and
 * funding. Notional and fee are added to the cost. The average entry price contains no fees and changes only when the
 * position grows.
 */
export function fillPosition(
  exchange: ExchangeState,
  marketAccount: MarketAccount,
  fill: PositionFill,
): number {
  const before = marketAccount.quantity
  const closing = closingPart(before, fill.quantity)
  const opening = fill.quantity - closing
  const closingFee =
    closing === 0 ? 0 : safeMulDiv(fill.fee, Math.abs(closing), Math.abs(fill.quantity), 'floor')
  const realized = closing === 0 ? 0 : closedPnl(marketAccount, fill.price, closing)
  if (closing !== 0) close(marketAccount, fill, closing, closingFee, realized)
  const ended = closing !== 0 && marketAccount.quantity === 0 ? marketAccount.life : null
  if (ended) end(exchange, marketAccount, ended, before, fill.atMs)
  if (opening !== 0) open(exchange, marketAccount, fill, opening, fill.fee - closingFee)
  marketAccount.stamp = -1
  marketAccount.updatedAtMs = fill.atMs
  marketAccount.sequence = exchange.sequence
  updateOpenInterest(marketAccount, before)
  return realized
}

/** The part of a fill that reduces a position of the opposite sign. */
function closingPart(position: number, fill: number): number {
  if (position === 0 || position > 0 === fill > 0) return 0
  return Math.abs(fill) <= Math.abs(position) ? fill : -position
}

/** (price - average entry price) × the closed quantity, in micro-USDC. */
function closedPnl({ market, averageOpen }: MarketAccount, price: number, closing: number): number {
  return unitaryNotional(market.spec, price * market.spec.tick - averageOpen, -closing, 'floor')
}

function close(
  marketAccount: MarketAccount,
  fill: PositionFill,
  closing: number,
  fee: number,
  realized: number,
): void {
  const quantity = Math.abs(closing)
  const cost = notionalAt(marketAccount.market.spec, fill.price, closing) + fee
  if (marketAccount.isolated) settleClosedPart(marketAccount, quantity, cost)
  else marketAccount.cost += cost
  marketAccount.quantity += closing
  const { life } = marketAccount
  if (!life) return
  life.closedQuantity += quantity
  life.closedValue += quantity * fill.price
  countFee(life, fill, fee)
  life.realizedPnl += realized
}

/**
 * Adds a fee to a position. The fee of a takeover is recorded as the liquidator's part and the insurance fund's part.
 */
function countFee(life: PositionLife, { liquidation }: PositionFill, fee: number): void {
  if (!liquidation) {
    life.tradingFee += fee
    return
  }
  life.liquidatorFee = (life.liquidatorFee ?? 0) + liquidation.liquidatorFee
  life.fundFee = (life.fundFee ?? 0) + liquidation.fundFee
}

/** Settles the closed part of an isolated position at once: its margin, cost and funding return to the balance. */
function settleClosedPart(marketAccount: MarketAccount, quantity: number, cost: number): void {
  const held = Math.abs(marketAccount.quantity)
  const margin = safeMulDiv(marketAccount.margin, quantity, held, 'floor')
  const paid = safeMulDiv(marketAccount.cost, quantity, held, 'ceil')
  marketAccount.margin -= margin
  marketAccount.cost -= paid
  marketAccount.accruedFunding -= safeMulDiv(marketAccount.accruedFunding, quantity, held, 'half')
  marketAccount.account.holding += margin - paid - cost
}

function end(
  exchange: ExchangeState,
  marketAccount: MarketAccount,
  life: PositionLife,
  before: number,
  atMs: number,
): void {
  marketAccount.life = null
  for (const { closed } of exchange.observers)
    closed?.(marketAccount, life, before > 0 ? BUY : SELL, atMs)
  marketAccount.averageOpen = 0
  marketAccount.settlePrice = 0
}

function open(
  exchange: ExchangeState,
  marketAccount: MarketAccount,
  fill: PositionFill,
  opening: number,
  fee: number,
): void {
  const { spec } = marketAccount.market
  const held = Math.abs(marketAccount.quantity)
  const added = Math.abs(opening)
  const price = fill.price * spec.tick
  marketAccount.averageOpen +=
    held === 0
      ? price - marketAccount.averageOpen
      : safeMulDiv(price - marketAccount.averageOpen, added, held + added, 'half')
  marketAccount.quantity += opening
  marketAccount.cost += notionalAt(spec, fill.price, opening) + fee
  if (marketAccount.isolated)
    addIsolatedMargin(
      marketAccount,
      isolatedMargin(marketAccount, notionalAt(spec, fill.price, added)),
    )
  marketAccount.life ??= newLife(nextEngineId(exchange), fill.atMs)
  marketAccount.life.maxQuantity = Math.max(marketAccount.life.maxQuantity, held + added)
  marketAccount.life.tradingFee += fee
}

function addIsolatedMargin(marketAccount: MarketAccount, margin: number): void {
  marketAccount.margin += margin
  marketAccount.account.holding -= margin
}

/** Updates the market's set of holders and its open interest. */
function updateOpenInterest(marketAccount: MarketAccount, before: number): void {
  const { market, quantity } = marketAccount
  market.openInterest += Math.max(0, quantity) - Math.max(0, before)
  if (quantity === 0) market.holders.delete(marketAccount)
  else if (before === 0) market.holders.add(marketAccount)
}

function newLife(id: number, openedAtMs: number): PositionLife {
  return {
    id,
    openedAtMs,
    maxQuantity: 0,
    closedQuantity: 0,
    closedValue: 0,
    tradingFee: 0,
    funding: 0,
    realizedPnl: 0,
  }
}
