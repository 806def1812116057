import { type Exchange, nextId } from '../exchange.ts'
import { isolatedMargin } from '../margin/margin.ts'
import { unitaryWorth, worthOf } from '../markets.ts'
import { BUY, type Exposure, type PositionLife, SELL } from '../state.ts'
import { mulDiv } from '../units.ts'

/** One execution as its position sees it: `quantity` is signed, positive when bought; a fee above zero is a cost. */
export type PositionFill = {
  readonly quantity: number
  readonly price: number
  readonly fee: number
  /** What of the fee is no trading fee: the position is taken over. */
  readonly liquidation?: { readonly liquidatorFee: number; readonly fundFee: number }
  readonly atMs: number
}

/**
 * Applies one execution and answers the micro-USDC won or lost on the part that it closed, before fees and funding.
 * Cost takes the notional and the fee; the average entry price moves only when the position grows, and holds no fees.
 */
export function fillPosition(exchange: Exchange, exposure: Exposure, fill: PositionFill): number {
  const before = exposure.quantity
  const closing = closingPart(before, fill.quantity)
  const opening = fill.quantity - closing
  const closingFee =
    closing === 0 ? 0 : mulDiv(fill.fee, Math.abs(closing), Math.abs(fill.quantity), 'floor')
  const realized = closing === 0 ? 0 : realizedOf(exposure, fill.price, closing)
  if (closing !== 0) close(exposure, fill, closing, closingFee, realized)
  const ended = closing !== 0 && exposure.quantity === 0 ? exposure.life : null
  if (ended) end(exchange, exposure, ended, before, fill.atMs)
  if (opening !== 0) open(exchange, exposure, fill, opening, fill.fee - closingFee)
  exposure.stamp = -1
  exposure.updatedAtMs = fill.atMs
  exposure.sequence = exchange.sequence
  count(exposure, before)
  return realized
}

/** The part of a signed fill that shrinks a position: as much of it as there is position of the other sign. */
function closingPart(position: number, fill: number): number {
  if (position === 0 || position > 0 === fill > 0) return 0
  return Math.abs(fill) <= Math.abs(position) ? fill : -position
}

/** (price - average) × what was closed. */
function realizedOf({ market, averageOpen }: Exposure, price: number, closing: number): number {
  return unitaryWorth(market.spec, price * market.spec.tick - averageOpen, -closing, 'floor')
}

function close(
  exposure: Exposure,
  fill: PositionFill,
  closing: number,
  fee: number,
  realized: number,
): void {
  const quantity = Math.abs(closing)
  const cost = worthOf(exposure.market.spec, fill.price, closing) + fee
  if (exposure.isolated) release(exposure, quantity, cost)
  else exposure.cost += cost
  exposure.quantity += closing
  const { life } = exposure
  if (!life) return
  life.closedQuantity += quantity
  life.closedValue += quantity * fill.price
  countFee(life, fill, fee)
  life.realizedPnl += realized
}

/** A position that is taken over is only ever closed, so that the whole fee is the liquidation's. */
function countFee(life: PositionLife, { liquidation }: PositionFill, fee: number): void {
  if (!liquidation) {
    life.tradingFee += fee
    return
  }
  life.liquidatorFee = (life.liquidatorFee ?? 0) + liquidation.liquidatorFee
  life.fundFee = (life.fundFee ?? 0) + liquidation.fundFee
}

/** What an isolated position closes is settled at once: its part of margin, cost and funding goes back to the balance. */
function release(exposure: Exposure, quantity: number, cost: number): void {
  const held = Math.abs(exposure.quantity)
  const margin = mulDiv(exposure.margin, quantity, held, 'floor')
  const paid = mulDiv(exposure.cost, quantity, held, 'ceil')
  exposure.margin -= margin
  exposure.cost -= paid
  exposure.accruedFunding -= mulDiv(exposure.accruedFunding, quantity, held, 'half')
  exposure.account.holding += margin - paid - cost
}

function end(
  exchange: Exchange,
  exposure: Exposure,
  life: PositionLife,
  before: number,
  atMs: number,
): void {
  exposure.life = null
  for (const { closed } of exchange.observers)
    closed?.(exposure, life, before > 0 ? BUY : SELL, atMs)
  exposure.averageOpen = 0
  exposure.settlePrice = 0
}

function open(
  exchange: Exchange,
  exposure: Exposure,
  fill: PositionFill,
  opening: number,
  fee: number,
): void {
  const { spec } = exposure.market
  const held = Math.abs(exposure.quantity)
  const added = Math.abs(opening)
  const price = fill.price * spec.tick
  exposure.averageOpen +=
    held === 0
      ? price - exposure.averageOpen
      : mulDiv(price - exposure.averageOpen, added, held + added, 'half')
  exposure.quantity += opening
  exposure.cost += worthOf(spec, fill.price, opening) + fee
  if (exposure.isolated) hold(exposure, isolatedMargin(exposure, worthOf(spec, fill.price, added)))
  exposure.life ??= newLife(nextId(exchange), fill.atMs)
  exposure.life.maxQuantity = Math.max(exposure.life.maxQuantity, held + added)
  exposure.life.tradingFee += fee
}

function hold(exposure: Exposure, margin: number): void {
  exposure.margin += margin
  exposure.account.holding -= margin
}

/** Keeps the market's list of holders and its open interest. */
function count(exposure: Exposure, before: number): void {
  const { market, quantity } = exposure
  market.openInterest += Math.max(0, quantity) - Math.max(0, before)
  if (quantity === 0) market.holders.delete(exposure)
  else if (before === 0) market.holders.add(exposure)
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
