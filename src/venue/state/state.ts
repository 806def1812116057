import type { PriceSet } from '../base/price-set.ts'
import type { PriceTable } from '../base/price-table.ts'
import type { AlgoTerms } from './algo-terms.ts'
import type { MarketSpec, MarketStatus } from './market-spec.ts'

/** Units as in units.ts: ticks, steps, micro-USDC, eight decimals for rates and average prices. */

export const BUY = 1
export const SELL = -1

/** The sign of what it does to a position. */
export type Side = typeof BUY | typeof SELL

export type OrderType = 'LIMIT' | 'MARKET' | 'IOC' | 'FOK' | 'POST_ONLY' | 'ASK' | 'BID'

export type OrderStatus = 'NEW' | 'PARTIAL_FILLED' | 'FILLED' | 'CANCELLED'

export type Order = {
  readonly id: number
  readonly marketAccount: MarketAccount
  readonly side: Side
  readonly type: OrderType
  readonly reduceOnly: boolean
  readonly clientOrderId: string | null
  readonly orderTag: string | null
  readonly createdAtMs: number
  /** Micro-USDC that were asked for in place of a quantity; null for a quantity. */
  readonly amount: number | null
  /** What its tag adds to the fee of every execution, eight decimals. */
  readonly enumRate: number
  /** Zero for MARKET. */
  price: number
  /** The price it counts with while it is open: its own, or for MARKET the best opposite one. */
  valued: number
  quantity: number
  /** How much of what is left the book may show. */
  visible: number
  status: OrderStatus
  executed: number
  /** Ticks times steps of all executions. */
  executedValue: number
  fee: number
  realizedPnl: number
  updatedAtMs: number
  /** Where it rests: null when it does not. */
  level: Level | null
  previous: Order | null
  next: Order | null
  /** Its neighbours among the open orders of its account. */
  older: Order | null
  newer: Order | null
}

/** An account's open orders: a chain through them, so that one joins and leaves without a search. */
export type OpenOrders = { oldest: Order | null; newest: Order | null; size: number }

/** An order that waits for the mark, or a group of such. */
export type AlgoOrder = AlgoTerms & {
  readonly marketAccount: MarketAccount
  /** Null of a root. A leg of a bracket becomes one when the bracket's own order first fills. */
  parent: AlgoOrder | null
  readonly children: AlgoOrder[]
  /** What it has in the book: the order it triggered, or a bracket's first leg. */
  order: Order | null
  /** Of what a bracket left behind: the bracket, whose executions are its quantity. */
  follows: AlgoOrder | null
}

/** All orders at one price, oldest first. */
export type Level = {
  readonly price: number
  readonly ladder: Ladder
  head: Order | null
  tail: Order | null
  /** The quantity shown, reduce-only orders counted in full. */
  shown: number
  reducing: number
}

/** One side of a market's book. */
export type Ladder = {
  readonly side: Side
  readonly prices: PriceSet
  readonly levels: PriceTable<Level>
  best: Level | null
  orders: number
}

export type Book = { readonly bids: Ladder; readonly asks: Ladder }

export type Market = {
  readonly number: number
  readonly spec: MarketSpec
  readonly book: Book
  /** Whoever has a position here. */
  readonly holders: Set<MarketAccount>
  /** Algo orders that look at the mark, and the marks between which none has to. */
  readonly armed: Set<AlgoOrder>
  idleLow: number
  idleHigh: number
  status: MarketStatus
  index: number
  mark: number
  /** Counts the changes of the mark, so that margins know when they are stale. */
  stamp: number
  /** The price of the last trade. */
  last: number
  /** Steps held long by all; the same are held short. */
  openInterest: number
  /** Within these marks nobody with a position here can have fallen below maintenance. */
  safeLow: number
  safeHigh: number
  /** Sum of mark × rate over all settlements, USDC a unit with eight decimals. */
  sumUnitary: number
}

/** From flat to flat, or to the other side. */
export type PositionLife = {
  readonly id: number
  readonly openedAtMs: number
  maxQuantity: number
  closedQuantity: number
  /** Ticks times steps. */
  closedValue: number
  tradingFee: number
  /** What liquidations took from it, for liquidators and for the insurance fund; not there when there was none. */
  liquidatorFee?: number
  fundFee?: number
  funding: number
  realizedPnl: number
}

/** What an account has in one market: a position, and the sums of its open orders. */
export type MarketAccount = {
  readonly account: Account
  readonly market: Market
  /** Positive is long. */
  quantity: number
  /** What the position has cost so far, fees and funding included. */
  cost: number
  averageOpen: number
  /** The price of the last settlement since it was opened, eight decimals; zero when there was none. */
  settlePrice: number
  /** Funding charged into `cost` and not yet settled into the balance. */
  accruedFunding: number
  life: PositionLife | null
  updatedAtMs: number
  sequence: number
  isolated: boolean
  /** What backs an isolated position. */
  margin: number
  leverage: number
  /** The leverage of the margin mode that is not in use. */
  spareLeverage: number
  /** The largest notional the leverage allows. */
  notionalMax: number
  /** What open orders that may grow the position would still buy and sell, in steps and in ticks times steps. */
  buys: number
  sells: number
  buyValue: number
  sellValue: number
  orders: number
  /** Open reduce-only orders; null when there were never any. */
  reducing: Set<Order> | null
  /** The market's stamp that the following were computed at; -1 when something else changed since. */
  stamp: number
  notional: number
  notionalWithOrders: number
  pnl: number
  initialWithOrders: number
  maintenance: number
  /** Held back for open isolated orders. */
  frozen: number
}

/** What an account traded on one UTC day. */
export type Day = { readonly day: number; volume: number; fees: number; realizedPnl: number }

export type FeeRates = { readonly taker: number; readonly maker: number }

export type Account = {
  readonly number: number
  /** Its id on the wire. */
  readonly key: string
  /** The insurance fund takes over what nobody else does, and is never liquidated itself. */
  readonly kind: 'user' | 'agent' | 'fund'
  holding: number
  /** The USDC that ever came in, from outside or from other accounts, and that left. */
  deposits: number
  withdrawals: number
  /** Other tokens that count as collateral, by name; each with eight decimals. */
  readonly tokens: Map<string, number>
  /** What they count for now. */
  tokenValue: number
  fees: FeeRates
  /** The same in markets of assets outside of crypto. */
  rwaFees: FeeRates
  /** What a market that was never used begins with, cross and isolated. */
  leverage: number
  isolatedLeverage: number
  status: 'active' | 'liquidating'
  /** By market number. */
  readonly marketAccounts: Map<number, MarketAccount>
  /** The same as a list, for what looks at all of them at every order. */
  readonly used: MarketAccount[]
  readonly open: OpenOrders
  readonly clientIds: Map<string, Order>
  /** Roots of open algo orders. */
  readonly algos: Map<number, AlgoOrder>
  /** When its open orders are to be cancelled unless it asks again; null for never. */
  cancelAtMs: number | null
  volume: number
  /** Trading fees ever paid, less rebates. */
  feesPaid: number
  readonly days: Day[]
  /** When it last asked for its results to be settled; zero when it never did. */
  settledAtMs: number
  /** The last nonce that a wallet spent on each kind of consent. */
  nonces: Readonly<Record<ConsentKind, number>>
  /** Who gets a part of the fees it pays. */
  shares: readonly RebateShare[]
}

/** What a wallet consents to with a nonce that is good once. */
export type ConsentKind = 'settle' | 'withdraw' | 'transfer'

/** A part of somebody's fees, eight decimals: his own, his referrer's, or of who brought that one. */
export type RebateShare = {
  /** The number of the account that gets it. */
  readonly to: number
  readonly rate: number
  readonly level: 'referee' | 'direct' | 'indirect'
}

/** What of an order is not executed yet. */
export function leftOf(order: Order): number {
  return order.quantity - order.executed
}

/** Whether an order can still fill. */
export function isOpen({ status }: Pick<Order, 'status'>): boolean {
  return status === 'NEW' || status === 'PARTIAL_FILLED'
}
