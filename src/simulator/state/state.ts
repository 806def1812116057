import type { PriceSet } from '../base/price-set.ts'
import type { PriceTable } from '../base/price-table.ts'
import type { AlgoTerms } from './algo-terms.ts'
import type { MarketSpec, MarketStatus } from './market-spec.ts'

/** Units as in units.ts: ticks, steps, micro-USDC, eight decimals for rates and average prices. */

export const BUY = 1
export const SELL = -1

/** The sign of its effect on a position. */
export type SideSign = typeof BUY | typeof SELL

export type EngineOrderType = 'LIMIT' | 'MARKET' | 'IOC' | 'FOK' | 'POST_ONLY' | 'ASK' | 'BID'

type OrderStatus = 'NEW' | 'PARTIAL_FILLED' | 'FILLED' | 'CANCELLED'

export type EngineOrder = {
  readonly id: number
  readonly marketAccount: MarketAccount
  readonly side: SideSign
  readonly type: EngineOrderType
  readonly reduceOnly: boolean
  readonly clientOrderId: string | null
  readonly orderTag: string | null
  readonly createdAtMs: number
  /** The ordered micro-USDC; null for an order by quantity. */
  readonly amount: number | null
  /** The fee rate that its tag adds to each execution, eight decimals. */
  readonly enumRate: number
  /** Zero for MARKET. */
  price: number
  /** The price that values it while it is open: its own, or for MARKET the best opposite one. */
  valued: number
  quantity: number
  /** The part of its rest that the book may show. */
  visible: number
  status: OrderStatus
  executed: number
  /** Ticks times steps of all executions. */
  executedValue: number
  fee: number
  realizedPnl: number
  updatedAtMs: number
  /** Its price level in the book; null outside of the book. */
  level: EngineLevel | null
  previous: EngineOrder | null
  next: EngineOrder | null
  /** Its neighbours among the open orders of its account. */
  older: EngineOrder | null
  newer: EngineOrder | null
}

/** An account's open orders as a linked list, so that adding and removing need no search. */
type OpenOrders = { oldest: EngineOrder | null; newest: EngineOrder | null; size: number }

/** A conditional order that waits for the mark, or a group of them. */
export type AlgoOrder = AlgoTerms & {
  readonly marketAccount: MarketAccount
  /** Null for a root. A leg of a bracket becomes a root at the first fill of the bracket's own order. */
  parent: AlgoOrder | null
  readonly children: AlgoOrder[]
  /** Its order in the book: the triggered one, or a bracket's first leg. */
  order: EngineOrder | null
  /** The ended bracket whose executions are its quantity; null for others. */
  follows: AlgoOrder | null
}

/** All orders at one price, oldest first. */
export type EngineLevel = {
  readonly price: number
  readonly ladder: Ladder
  head: EngineOrder | null
  tail: EngineOrder | null
  /** The quantity shown, reduce-only orders counted in full. */
  shown: number
  reducing: number
  /** The next levels of the side; those of a closed level are out of date. */
  better: EngineLevel | null
  worse: EngineLevel | null
}

/** One side of a market's book. */
export type Ladder = {
  readonly side: SideSign
  readonly prices: PriceSet
  readonly levels: PriceTable<EngineLevel>
  best: EngineLevel | null
  orders: number
}

type Book = { readonly bids: Ladder; readonly asks: Ladder }

export type EngineMarket = {
  readonly number: number
  readonly spec: MarketSpec
  readonly book: Book
  /** The market accounts with a position. */
  readonly holders: Set<MarketAccount>
  /** Algo orders that wait for the mark, and the range of marks in which all of them stay idle. */
  readonly armed: Set<AlgoOrder>
  idleLow: number
  idleHigh: number
  status: MarketStatus
  /** Whether its mirrored book is unknown: it takes no orders, and its mark stays unchanged. */
  isAway: boolean
  index: number
  mark: number
  /** Counts the changes of the mark, so that margins know when they are stale. */
  stamp: number
  /** The price of the last trade. */
  last: number
  /** The sum of all long positions in steps, which equals that of short ones. */
  openInterest: number
  /** The range of marks in which no holder can be below maintenance margin. */
  safeLow: number
  safeHigh: number
  /** Sum of mark × rate over all settlements, USDC per unit with eight decimals. */
  sumUnitary: number
}

/** The life of a position from opening to closing or to a change of side. */
export type PositionLife = {
  readonly id: number
  readonly openedAtMs: number
  maxQuantity: number
  closedQuantity: number
  /** Ticks times steps. */
  closedValue: number
  tradingFee: number
  /** Liquidation fees for liquidators and the insurance fund. Absent without a liquidation. */
  liquidatorFee?: number
  fundFee?: number
  funding: number
  realizedPnl: number
}

/** The state of an account in one market and margin mode, of which it may have both: position and sums of open orders. */
export type MarketAccount = {
  readonly account: Account
  readonly market: EngineMarket
  readonly isolated: boolean
  /** Positive is long. */
  quantity: number
  /** The cost of the position, with fees and funding. */
  cost: number
  averageOpen: number
  /** The price of the last settlement since it was opened, eight decimals; zero before the first. */
  settlePrice: number
  /** Funding charged into `cost` and not yet settled into the balance. */
  accruedFunding: number
  life: PositionLife | null
  updatedAtMs: number
  sequence: number
  /** The margin of an isolated position. */
  margin: number
  leverage: number
  /** The largest notional the leverage allows. */
  notionalMax: number
  /** The rest of open orders that may grow the position, in steps and in ticks times steps. */
  buys: number
  sells: number
  buyValue: number
  sellValue: number
  orders: number
  /** Open reduce-only orders; null before the first one. */
  reducing: Set<EngineOrder> | null
  /** The market's stamp when the following figures were computed; -1 when they are stale. */
  stamp: number
  notional: number
  notionalWithOrders: number
  pnl: number
  initialWithOrders: number
  maintenance: number
  /** Collateral reserved for open isolated orders. */
  frozen: number
}

/** The trading of an account on one UTC day. */
export type AccountDay = { readonly day: number; volume: number; fees: number; realizedPnl: number }

export type AccountFeeRates = { readonly taker: number; readonly maker: number }

export type Account = {
  readonly number: number
  /** Its id on the wire. */
  readonly key: string
  /** The insurance fund takes over positions without another taker, and is never liquidated. */
  readonly kind: 'user' | 'agent' | 'fund'
  holding: number
  /** All USDC deposited, also from other accounts, and withdrawn. */
  deposits: number
  withdrawals: number
  /** Other tokens that count as collateral, by name; each with eight decimals. */
  readonly tokens: Map<string, number>
  /** Their current collateral value. */
  tokenValue: number
  fees: AccountFeeRates
  /** The rates in markets of assets outside of crypto. */
  rwaFees: AccountFeeRates
  /** The leverage of markets not used yet, cross and isolated. */
  leverage: number
  isolatedLeverage: number
  status: 'active' | 'liquidating'
  /** Numbers of the markets in which orders are isolated unless they name a margin mode. */
  readonly isolatedMarkets: Set<number>
  /** By `modeKey` of the market's number: a cross one has the number itself. */
  readonly marketAccounts: Map<number, MarketAccount>
  /** The same as a list, for loops at every order. */
  readonly used: MarketAccount[]
  readonly open: OpenOrders
  readonly clientIds: Map<string, EngineOrder>
  /** Roots of open algo orders. */
  readonly algos: Map<number, AlgoOrder>
  /** The time at which its open orders are cancelled unless it is renewed; null without a timer. */
  cancelAtMs: number | null
  volume: number
  /** Trading fees ever paid, less rebates. */
  feesPaid: number
  readonly days: AccountDay[]
  /** The time of its last settlement request; zero before the first. */
  settledAtMs: number
  /** The last nonce that a wallet spent on each kind of consent. */
  nonces: Readonly<Record<ConsentKind, number>>
  /** The receivers of parts of its fees. */
  shares: readonly RebateShare[]
}

/** The kinds of wallet consents, each with a nonce that is valid once. */
export type ConsentKind = 'settle' | 'withdraw' | 'transfer'

/** A part of an account's fees, eight decimals: for itself, its referrer, or a referrer of that one. */
export type RebateShare = {
  /** The number of the account that gets it. */
  readonly to: number
  readonly rate: number
  readonly level: 'referee' | 'direct' | 'indirect'
}

/** The unexecuted quantity of an order. */
export function leftQuantity(order: EngineOrder): number {
  return order.quantity - order.executed
}

/** Whether an order can still fill. */
export function isOpen({ status }: Pick<EngineOrder, 'status'>): boolean {
  return status === 'NEW' || status === 'PARTIAL_FILLED'
}
