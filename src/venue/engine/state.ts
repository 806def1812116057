import type { PriceSet } from './book/price-set.ts'

/** Units as in units.ts: ticks, steps, micro-USDC, eight decimals for rates and average prices. */

export const BUY = 1
export const SELL = -1

/** The sign of what it does to a position. */
export type Side = typeof BUY | typeof SELL

export type OrderType = 'LIMIT' | 'MARKET' | 'IOC' | 'FOK' | 'POST_ONLY' | 'ASK' | 'BID'

export type OrderStatus = 'NEW' | 'PARTIAL_FILLED' | 'FILLED' | 'CANCELLED'

export type MarketStatus = 'ACTIVE' | 'POST_ONLY' | 'REDUCE_ONLY' | 'DELISTING' | 'DELISTED'

/** A market's rules as integers. */
export type MarketSpec = {
  readonly symbol: string
  /** Micro-USDC that one tick times one step is worth. */
  readonly unit: number
  /** The tick and the step with eight decimals. */
  readonly tick: number
  readonly step: number
  readonly priceMin: number
  readonly priceMax: number
  readonly quantityMin: number
  readonly quantityMax: number
  readonly notionalMin: number
  readonly priceRange: number
  readonly priceScope: number
  readonly baseImr: number
  readonly baseMmr: number
  readonly imrFactor: number
  /** Below this notional the margin rates are the base rates. */
  readonly growsFrom: number
  readonly openInterestMax: number
  readonly fundingPeriodMs: number
  readonly fundingCap: number
  /** How far the mark may stray from the index. */
  readonly markDeviation: number
  readonly liquidationFee: number
  readonly liquidatorFee: number
  /** 1: all positions shrink together; 2: one market at a time. */
  readonly liquidationTier: 1 | 2
}

export type Order = {
  readonly id: number
  readonly exposure: Exposure
  readonly side: Side
  readonly type: OrderType
  readonly reduceOnly: boolean
  readonly clientOrderId: string | null
  readonly orderTag: string | null
  readonly createdAtMs: number
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
  readonly levels: Map<number, Level>
  best: Level | null
  orders: number
}

export type Book = { readonly bids: Ladder; readonly asks: Ladder }

export type Market = {
  readonly number: number
  readonly spec: MarketSpec
  readonly book: Book
  /** Whoever has a position here. */
  readonly holders: Set<Exposure>
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
  funding: number
  realizedPnl: number
}

/** What an account has in one market: a position, and the sums of its open orders. */
export type Exposure = {
  readonly account: Account
  readonly market: Market
  /** Positive is long. */
  quantity: number
  /** What the position has cost so far, fees and funding included. */
  cost: number
  averageOpen: number
  /** Funding charged into `cost` and not yet settled into the balance. */
  accruedFunding: number
  life: PositionLife | null
  updatedAtMs: number
  sequence: number
  isolated: boolean
  /** What backs an isolated position. */
  margin: number
  leverage: number
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
  /** Other tokens that count as collateral, by name; each with eight decimals. */
  readonly tokens: Map<string, number>
  /** What they count for now. */
  tokenWorth: number
  fees: FeeRates
  leverage: number
  status: 'active' | 'liquidating'
  /** By market number. */
  readonly exposures: Map<number, Exposure>
  /** The same as a list, for what looks at all of them at every order. */
  readonly used: Exposure[]
  readonly open: Map<number, Order>
  readonly clientIds: Map<string, Order>
  volume: number
  readonly days: Day[]
}

/** What of an order is not executed yet. */
export function leftOf(order: Order): number {
  return order.quantity - order.executed
}

/** Whether an order can still fill. */
export function isOpen({ status }: Pick<Order, 'status'>): boolean {
  return status === 'NEW' || status === 'PARTIAL_FILLED'
}
