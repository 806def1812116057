import { enumFeeAmount } from '../book/walk.ts'
import { notionalAt } from '../state/markets.ts'
import type {
  FundingCharge,
  FundingSettlement,
  Liquidation,
  Match,
  SettledResults,
  Takeover,
  Transfer,
} from '../state/observer.ts'
import type { EngineOrder, MarketAccount, PositionLife, SideSign } from '../state/state.ts'

/**
 * Rows are plain data. A market or account is given by its number. `units.ts` defines the units, `Move` the amounts of
 * money.
 */

/** An order that has ended. */
export type OrderRow = Omit<
  EngineOrder,
  'marketAccount' | 'level' | 'previous' | 'next' | 'older' | 'newer'
> & {
  readonly market: number
  readonly isolated: boolean
}

/** One side of one execution. */
export type TradeRow = {
  readonly id: number
  readonly order: number
  readonly market: number
  readonly side: SideSign
  readonly price: number
  readonly quantity: number
  /** The fee rate, including the rate of the order's tag. */
  readonly fee: number
  readonly enumFee: number
  readonly enumRate: number
  readonly realizedPnl: number
  readonly isMaker: boolean
  readonly isolated: boolean
  readonly orderTag: string | null
  readonly atMs: number
}

/** One position's share of a funding settlement. A positive fee was paid, a negative fee received. */
export type FundingRow = {
  readonly market: number
  readonly rate: number
  readonly mark: number
  readonly fee: number
  readonly isolated: boolean
  readonly atMs: number
  /** The time at which the row was settled; absent before. */
  readonly settledAtMs?: number
}

/** A position from its opening to its closing. */
export type ClosedRow = PositionLife & {
  readonly market: number
  readonly side: SideSign
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

export function storedOrderRow(order: EngineOrder): OrderRow {
  const { marketAccount, level, previous, next, older, newer, ...row } = order
  return { ...row, market: marketAccount.market.number, isolated: marketAccount.isolated }
}

/** The row of one side of a match: the taker's or the maker's. */
export function storedTradeRow(match: Match, isTaker: boolean): TradeRow {
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
    enumFee: enumFeeAmount(order, notionalAt(market.spec, price, quantity)),
    enumRate: order.enumRate,
    realizedPnl: isTaker ? match.takerPnl : match.makerPnl,
    isMaker: isPassive,
    isolated: order.marketAccount.isolated,
    orderTag: order.orderTag,
    atMs,
  }
}

export function fundingRow(
  { market, rate, mark, atMs }: FundingSettlement,
  { marketAccount, fee }: FundingCharge,
): FundingRow {
  return { market: market.number, rate, mark, fee, isolated: marketAccount.isolated, atMs }
}

export function closedRow(
  { market, averageOpen, leverage, isolated }: MarketAccount,
  life: PositionLife,
  side: SideSign,
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

/** A deposit or a withdrawal. */
export type AssetRow = {
  readonly id: number
  readonly side: 'DEPOSIT' | 'WITHDRAW'
  readonly token: string
  readonly amount: number
  readonly fee: number
  readonly chainId: string
  readonly atMs: number
  status: string
  updatedAtMs: number
}

export type TransferRow = Pick<
  Transfer,
  'id' | 'request' | 'account' | 'to' | 'token' | 'amount' | 'atMs'
> & { status: string; updatedAtMs: number }

export type SettlementRow = Omit<SettledResults, 'account' | 'parts'> & {
  readonly parts: readonly { readonly market: number; readonly amount: number }[]
}
