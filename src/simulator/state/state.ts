import type { PriceSet } from '../base/price-set.ts'
import type { PriceTable } from '../base/price-table.ts'
import type { AlgoTerms } from './algo-terms.ts'
import type { MarketSpec, MarketStatus } from './market-spec.ts'

/** `units.ts` defines the units: ticks, steps, micro-USDC, and eight decimals for rates and average prices. */

export const BUY = 1
export const SELL = -1

/** The side of an order as the sign of its effect on a position. */
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
  /** The ordered amount in micro-USDC; null for an order with a quantity. */
  readonly amount: number | null
  /** The fee rate that the order's tag adds to each execution, with eight decimals. */
  readonly enumRate: number
  /** The price in ticks; 0 for MARKET. */
  price: number
  /** The price that values the order while it is open: the order's own price, or for MARKET the best opposite price. */
  valued: number
  quantity: number
  /** Maximum visible quantity. Less is visible if less is left. */
  visible: number
  status: OrderStatus
  executed: number
  /** Sum over all executions in ticks × steps. */
  executedValue: number
  fee: number
  realizedPnl: number
  updatedAtMs: number
  /** The price level at which the order rests; null if the order is not in the book. */
  level: EngineLevel | null
  previous: EngineOrder | null
  next: EngineOrder | null
  /** The neighbouring orders among the account's open orders. */
  older: EngineOrder | null
  newer: EngineOrder | null
}

/** An account's open orders as a linked list, so that orders are added and removed without a search. */
type OpenOrders = { oldest: EngineOrder | null; newest: EngineOrder | null; size: number }

/** An algo order that waits for the mark price, or a group of algo orders. */
export type AlgoOrder = AlgoTerms & {
  readonly marketAccount: MarketAccount
  /** The algo order above this one; null for a root. A bracket's leg becomes a root at the bracket's first fill. */
  parent: AlgoOrder | null
  readonly children: AlgoOrder[]
  /** The algo order's order in the book: the order that its trigger sent, or a bracket's own order. */
  order: EngineOrder | null
  /** The bracket whose executed quantity this leg takes over; null for any other order. */
  follows: AlgoOrder | null
}

/** A price level: all orders at one price, oldest first. */
export type EngineLevel = {
  readonly price: number
  readonly ladder: Ladder
  head: EngineOrder | null
  tail: EngineOrder | null
  /** The visible quantity. Reduce-only orders count in full. */
  shown: number
  reducing: number
  /** The neighbouring levels of the side. They are not updated once the level is closed. */
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
  /** The market accounts that have a position. */
  readonly holders: Set<MarketAccount>
  /** Algo orders that wait for the mark price. */
  readonly armed: Set<AlgoOrder>
  /** The range of mark prices within which all armed algo orders stay idle. */
  idleLow: number
  idleHigh: number
  status: MarketStatus
  /** Whether the market's mirrored book is unknown. The market then accepts no orders and keeps its mark price. */
  isAway: boolean
  index: number
  mark: number
  /** Rises with every change of the mark price, so that margin figures with an older stamp are known to be stale. */
  stamp: number
  /** The price of the last trade, in ticks. */
  last: number
  /** The sum of all long positions in steps, which equals the sum of all short positions. */
  openInterest: number
  /** The range of mark prices within which no holder can be below its maintenance margin. */
  safeLow: number
  safeHigh: number
  /** Sum of mark price × rate over all settlements: USDC per unit with eight decimals. */
  sumUnitary: number
}

/** A position's figures from its opening until it is closed or changes side. */
export type PositionLife = {
  readonly id: number
  readonly openedAtMs: number
  maxQuantity: number
  closedQuantity: number
  /** Sum over the closed parts in ticks × steps. */
  closedValue: number
  tradingFee: number
  /** Liquidation fees for the liquidators; absent without a liquidation. */
  liquidatorFee?: number
  /** Liquidation fees for the insurance fund; absent without a liquidation. */
  fundFee?: number
  funding: number
  realizedPnl: number
}

/** An account's position and sums of open orders in one market and margin mode. An account may have both modes. */
export type MarketAccount = {
  readonly account: Account
  readonly market: EngineMarket
  readonly isolated: boolean
  /** Quantity in steps; positive is long. */
  quantity: number
  /** The cost of the position in micro-USDC, including fees and funding. */
  cost: number
  averageOpen: number
  /** Price of the last settlement since the position was opened, with eight decimals; 0 before the first. */
  settlePrice: number
  /** Funding that is in `cost` and has not been settled into the balance. */
  accruedFunding: number
  life: PositionLife | null
  updatedAtMs: number
  sequence: number
  /** The margin of an isolated position, in micro-USDC. */
  margin: number
  leverage: number
  /** The largest notional that the leverage allows. */
  notionalMax: number
  /** The unfilled part of open orders that may grow the position: in steps, and in ticks × steps. */
  buys: number
  sells: number
  buyValue: number
  sellValue: number
  orders: number
  /** Open reduce-only orders; null before the first. */
  reducing: Set<EngineOrder> | null
  /** The market's stamp when the figures below were computed; -1 if they are stale. */
  stamp: number
  notional: number
  notionalWithOrders: number
  pnl: number
  initialWithOrders: number
  maintenance: number
  /** Collateral that open isolated orders reserve. */
  frozen: number
}

/** An account's trading on one UTC day. */
export type AccountDay = { readonly day: number; volume: number; fees: number; realizedPnl: number }

export type AccountFeeRates = { readonly taker: number; readonly maker: number }

export type Account = {
  readonly number: number
  /** The account's id on the wire. */
  readonly key: string
  /** `fund` is the insurance fund. It takes over positions that every liquidator leaves, and is never liquidated. */
  readonly kind: 'user' | 'agent' | 'fund'
  holding: number
  /** All USDC deposited, including transfers from other accounts. */
  deposits: number
  /** All USDC withdrawn. */
  withdrawals: number
  /** Other tokens that count as collateral, by name, with eight decimals. */
  readonly tokens: Map<string, number>
  /** The current collateral value of `tokens`. */
  tokenValue: number
  fees: AccountFeeRates
  /** Fee rates in markets outside of crypto. */
  rwaFees: AccountFeeRates
  /** The leverage of markets that have not been used yet: cross, then isolated. */
  leverage: number
  isolatedLeverage: number
  status: 'active' | 'liquidating'
  /** Numbers of the markets in which orders are isolated if they name no margin mode. */
  readonly isolatedMarkets: Set<number>
  /** Market accounts by the `modeKey` of the market's number. */
  readonly marketAccounts: Map<number, MarketAccount>
  /** The market accounts of `marketAccounts` as a list, which every order loops over. */
  readonly used: MarketAccount[]
  readonly open: OpenOrders
  readonly clientIds: Map<string, EngineOrder>
  /** The roots of open algo orders. */
  readonly algos: Map<number, AlgoOrder>
  /** The time at which the account's open orders are cancelled unless the timer is renewed; null without a timer. */
  cancelAtMs: number | null
  volume: number
  /** All trading fees paid so far, minus rebates. */
  feesPaid: number
  readonly days: AccountDay[]
  /** The time at which the account last requested a settlement; 0 before the first request. */
  settledAtMs: number
  /** The last nonce that the wallet used for each kind of consent. */
  nonces: Readonly<Record<ConsentKind, number>>
  /** The accounts that get parts of this account's fees. */
  shares: readonly RebateShare[]
}

/** The kinds of messages that a wallet signs to move money. Each has nonces that are valid once. */
export type ConsentKind = 'settle' | 'withdraw' | 'transfer'

/** A part of an account's fees (rate with eight decimals): for itself, its referrer, or a higher referrer. */
export type RebateShare = {
  /** The number of the account that gets the part. */
  readonly to: number
  readonly rate: number
  readonly level: 'referee' | 'direct' | 'indirect'
}

/** The quantity of an order that has not been executed. */
export function leftQuantity(order: EngineOrder): number {
  return order.quantity - order.executed
}

/** Whether an order can still fill. */
export function isOpen({ status }: Pick<EngineOrder, 'status'>): boolean {
  return status === 'NEW' || status === 'PARTIAL_FILLED'
}
