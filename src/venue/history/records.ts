import { append } from '../base/bounded-list.ts'
import { enumFeeOf } from '../book/walk.ts'
import { notionalOf } from '../state/markets.ts'
import type {
  FundingCharge,
  FundingSettlement,
  Liquidation,
  Match,
  Observer,
  Takeover,
} from '../state/observer.ts'
import {
  type Account,
  isOpen,
  type MarketAccount,
  type Order,
  type PositionLife,
  type Side,
} from '../state/state.ts'
import { createJournal, createRowTable, type Journal } from './journal.ts'

/** Rows are plain data: markets and accounts by number, units as in units.ts. */

/** An account's histories, oldest first and bounded. Totals do not use them. */
export type Records = {
  readonly orders: OrderRow[]
  readonly trades: TradeRow[]
  readonly fundings: FundingRow[]
  readonly closed: ClosedRow[]
}

/** The histories of users' accounts, and every liquidation of the venue. */
export type RecordJournal = Journal & {
  readonly of: (account: Account) => Records
  /** Newest last. */
  readonly liquidations: readonly LiquidationRow[]
}

/** The most rows of the longer histories. */
const ROWS_MAX = { orders: 1000, liquidations: 2000 } as const

export function createRecords(): RecordJournal {
  const { rows: records, of } = createRowTable<Records>(() => ({
    ...{ orders: [], trades: [], fundings: [], closed: [] },
  }))
  const liquidations: LiquidationRow[] = []

  function keepTrade(match: Match, isTaker: boolean): void {
    const { account } = (isTaker ? match.taker : match.maker).marketAccount
    if (isKept(account)) append(of(account).trades, tradeRow(match, isTaker))
  }

  const observer: Observer = {
    ordered: (order) => {
      const { account } = order.marketAccount
      if (isKept(account) && !isOpen(order))
        append(of(account).orders, orderRow(order), ROWS_MAX.orders)
    },
    matched: (match) => {
      keepTrade(match, true)
      keepTrade(match, false)
    },
    closed: (marketAccount, life, side, atMs) => {
      if (!isKept(marketAccount.account)) return
      const { closed, fundings } = of(marketAccount.account)
      append(closed, closedRow(marketAccount, life, side, atMs))
      if (marketAccount.isolated) settleFundings(fundings, marketAccount.market.number, true, atMs)
    },
    funded: (settlement) => {
      for (const charge of settlement.charges)
        if (isKept(charge.marketAccount.account))
          append(of(charge.marketAccount.account).fundings, fundingRow(settlement, charge))
    },
    settled: ({ account, parts, atMs }) => {
      if (!isKept(account)) return
      const { fundings } = of(account)
      for (const { market } of parts) settleFundings(fundings, market.number, false, atMs)
    },
    liquidated: (liquidation) =>
      void append(liquidations, liquidationRow(liquidation), ROWS_MAX.liquidations),
  }
  return { ...createJournal('records', { records, liquidations }, { observer }), of, liquidations }
}

/** Marks a market's open funding rows as settled, after a settlement or the end of an isolated position. */
function settleFundings(rows: FundingRow[], market: number, isolated: boolean, atMs: number): void {
  for (const [at, row] of rows.entries())
    if (row.market === market && row.isolated === isolated && row.settledAtMs === undefined)
      rows[at] = { ...row, settledAtMs: atMs }
}

/** An order that has ended. */
export type OrderRow = Omit<
  Order,
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
  readonly side: Side
  readonly price: number
  readonly quantity: number
  /** The rate with the part of the order's tag. */
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
  /** The time of its settlement. Absent before. */
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
  const { marketAccount, level, previous, next, older, newer, ...row } = order
  return { ...row, market: marketAccount.market.number, isolated: marketAccount.isolated }
}

/** A match from the side of one of its orders. */
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
    enumFee: enumFeeOf(order, notionalOf(market.spec, price, quantity)),
    enumRate: order.enumRate,
    realizedPnl: isTaker ? match.takerPnl : match.makerPnl,
    isMaker: isPassive,
    isolated: order.marketAccount.isolated,
    orderTag: order.orderTag,
    atMs,
  }
}

function fundingRow(
  { market, rate, mark, atMs }: FundingSettlement,
  { marketAccount, fee }: FundingCharge,
): FundingRow {
  return { market: market.number, rate, mark, fee, isolated: marketAccount.isolated, atMs }
}

function closedRow(
  { market, averageOpen, leverage, isolated }: MarketAccount,
  life: PositionLife,
  side: Side,
  closedAtMs: number,
): ClosedRow {
  return { ...life, market: market.number, side, averageOpen, leverage, isolated, closedAtMs }
}

function liquidationRow({ account, takeovers, ...row }: Liquidation): LiquidationRow {
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

/** Whether an account has readable histories: users have, agents have not. */
export function isKept({ kind }: Account): boolean {
  return kind === 'user'
}
