import type { FundingCharge, FundingSettlement } from '../funding/record.ts'
import type { Liquidation, Takeover } from '../liquidation/record.ts'
import { worthOf } from '../markets.ts'
import { enumFeeOf } from '../matching/fees.ts'
import type { Match } from '../observer.ts'
import type { Account, Exposure, Order, PositionLife, Side } from '../state.ts'

/** Rows of an account's histories, as plain data: markets and accounts by number, units as in units.ts. */

/** An order that has ended. */
export type OrderRow = Omit<
  Order,
  'exposure' | 'level' | 'previous' | 'next' | 'older' | 'newer'
> & {
  readonly market: number
  readonly isolated: boolean
}

/** One side of one execution. */
export type TradeRow = {
  readonly id: number
  readonly order: number
  readonly market: number
  readonly side: Side
  readonly price: number
  readonly quantity: number
  /** With what the order's tag has added. */
  readonly fee: number
  readonly enumFee: number
  readonly enumRate: number
  readonly realizedPnl: number
  readonly isMaker: boolean
  readonly isolated: boolean
  readonly orderTag: string | null
  readonly atMs: number
}

/** One position's part of one settlement; positive is paid. */
export type FundingRow = {
  readonly market: number
  readonly rate: number
  readonly mark: number
  readonly fee: number
  readonly isolated: boolean
  readonly atMs: number
  /** When it became balance; not there until then. */
  readonly settledAtMs?: number
}

/** A position from its opening to its end. */
export type ClosedRow = PositionLife & {
  readonly market: number
  readonly side: Side
  readonly averageOpen: number
  readonly leverage: number
  readonly isolated: boolean
  readonly closedAtMs: number
}

export type LiquidationRow = Omit<Liquidation, 'account' | 'takeovers'> & {
  readonly account: number
  readonly takeovers: readonly (Omit<Takeover, 'market' | 'to'> & {
    readonly market: number
    readonly to: number
  })[]
}

export function orderRow(order: Order): OrderRow {
  const { exposure, level, previous, next, older, newer, ...row } = order
  return { ...row, market: exposure.market.number, isolated: exposure.isolated }
}

/** A match as one of its two orders sees it. */
export function tradeRow(match: Match, isTaker: boolean): TradeRow {
  const { id, market, price, quantity, atMs } = match
  const order = isTaker ? match.taker : match.maker
  const isPassive = isTaker ? order.type === 'POST_ONLY' : !match.isHidden
  return {
    id,
    order: order.id,
    market: market.number,
    side: order.side,
    price,
    quantity,
    fee: isTaker ? match.takerFee : match.makerFee,
    enumFee: enumFeeOf(order, worthOf(market.spec, price, quantity)),
    enumRate: order.enumRate,
    realizedPnl: isTaker ? match.takerPnl : match.makerPnl,
    isMaker: isPassive,
    isolated: order.exposure.isolated,
    orderTag: order.orderTag,
    atMs,
  }
}

export function fundingRow(
  { market, rate, mark, atMs }: FundingSettlement,
  { exposure, fee }: FundingCharge,
): FundingRow {
  return { market: market.number, rate, mark, fee, isolated: exposure.isolated, atMs }
}

export function closedRow(
  { market, averageOpen, leverage, isolated }: Exposure,
  life: PositionLife,
  side: Side,
  closedAtMs: number,
): ClosedRow {
  return { ...life, market: market.number, side, averageOpen, leverage, isolated, closedAtMs }
}

export function liquidationRow({ account, takeovers, ...row }: Liquidation): LiquidationRow {
  return {
    ...row,
    account: account.number,
    takeovers: takeovers.map(({ market, to, ...takeover }) => ({
      ...takeover,
      market: market.number,
      to: to.number,
    })),
  }
}

/** Whether somebody outside can ask for the account's histories. */
export function isKept({ kind }: Account): boolean {
  return kind === 'user' || kind === 'vault'
}
