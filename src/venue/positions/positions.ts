import { mulDiv } from '../../core/decimals.ts'
import type { Account, ClosedPosition, Position, PositionLife } from '../exchange/state.ts'
import { absolute, larger, worthOf } from '../units.ts'

/** One execution as its position sees it: `quantity` is signed, positive when bought. */
export type PositionFill = {
  readonly quantity: bigint
  readonly price: bigint
  /** Micro-USDC; positive is a cost. */
  readonly fee: bigint
  readonly atMs: number
  /** The number of the life that this execution may begin. */
  readonly lifeId: number
}

export type PositionOutcome = {
  /** Micro-USDC won or lost on the part that was closed, before fees and funding. */
  readonly realizedPnl: bigint
  /** The life that ended: the position went flat, or over to the other side. */
  readonly ended: PositionLife | null
}

/** The account's position in a symbol; a flat one is made when there is none. */
export function positionOf(account: Account, symbol: string): Position {
  const known = account.positions.get(symbol)
  if (known) return known
  const position = flatPosition(account.profile.accountId, symbol)
  account.positions.set(symbol, position)
  return position
}

/** A position that never was. */
export function flatPosition(accountId: string, symbol: string): Position {
  return {
    accountId,
    symbol,
    quantity: 0n,
    cost: 0n,
    averageOpen: 0n,
    lastSumUnitary: 0n,
    fundedAtMs: 0,
    accruedFunding: 0n,
    updatedAtMs: 0,
    seq: 0,
    life: null,
  }
}

/**
 * Applies one execution. Cost takes the notional and the fee; the average entry price moves only when the position
 * grows, and holds no fees. Funding must have been charged up to `fill.atMs` before.
 */
export function tradePosition(position: Position, fill: PositionFill): PositionOutcome {
  const before = position.quantity
  const closing = closingPart(before, fill.quantity)
  const opening = fill.quantity - closing
  const closingFee = mulDiv(fill.fee, closing, fill.quantity, 'floor')
  const realizedPnl = worthOf(fill.price - position.averageOpen, -closing, 'floor')

  if (closing !== 0n) closeLife(position, fill, closing, closingFee, realizedPnl)
  position.quantity += closing
  const ended = position.quantity === 0n ? position.life : null
  if (ended) position.life = null
  openPart(position, fill, opening, fill.fee - closingFee)

  position.cost += worthOf(fill.price, fill.quantity) + fill.fee
  position.updatedAtMs = fill.atMs
  return { realizedPnl, ended }
}

/** The history row of a life that ended, given how the position stood before the last execution. */
export function closedPosition(
  before: Pick<Position, 'accountId' | 'symbol' | 'quantity' | 'averageOpen'>,
  life: PositionLife,
  leverage: number,
  closedAtMs: number,
): ClosedPosition {
  const { accountId, symbol, quantity, averageOpen } = before
  const side = quantity > 0n ? 'LONG' : 'SHORT'
  return { ...life, accountId, symbol, side, averageOpen, leverage, closedAtMs }
}

/** The part of a signed fill that shrinks a position: as much of it as there is position of the other sign. */
function closingPart(position: bigint, fill: bigint): bigint {
  if (position === 0n || position > 0n === fill > 0n) return 0n
  return absolute(fill) <= absolute(position) ? fill : -position
}

function closeLife(
  position: Position,
  fill: PositionFill,
  closing: bigint,
  fee: bigint,
  realizedPnl: bigint,
): void {
  const life = position.life
  if (!life) return
  const quantity = absolute(closing)
  position.life = {
    ...life,
    closedQuantity: life.closedQuantity + quantity,
    closedValue: life.closedValue + quantity * fill.price,
    tradingFee: life.tradingFee + fee,
    realizedPnl: life.realizedPnl + realizedPnl,
  }
}

function openPart(position: Position, fill: PositionFill, opening: bigint, fee: bigint): void {
  const before = position.quantity
  const after = before + opening
  if (opening !== 0n) position.averageOpen = averageOf(position, fill.price, opening)
  else if (after === 0n) position.averageOpen = 0n
  position.quantity = after
  if (after === 0n) return
  const life = position.life ?? newLife(fill)
  position.life = {
    ...life,
    maxQuantity: larger(life.maxQuantity, absolute(after)),
    tradingFee: life.tradingFee + fee,
  }
}

function averageOf({ quantity, averageOpen }: Position, price: bigint, opening: bigint): bigint {
  const value = absolute(quantity) * averageOpen + absolute(opening) * price
  return mulDiv(value, 1n, absolute(quantity) + absolute(opening), 'half')
}

function newLife({ lifeId, atMs }: PositionFill): PositionLife {
  return {
    id: lifeId,
    openedAtMs: atMs,
    maxQuantity: 0n,
    closedQuantity: 0n,
    closedValue: 0n,
    tradingFee: 0n,
    funding: 0n,
    realizedPnl: 0n,
  }
}
