import type { Feed, Instrument, Tick } from '../market/feed.ts'
import type { Journal } from './journal.ts'

/** Units as in feed.ts: prices and quantities with eight decimals, USDC with six, values (price × quantity) with sixteen. */

export type Side = Tick['side']

export type Sides<T> = Readonly<Record<Side, T>>

export type OrderType = 'LIMIT' | 'MARKET' | 'IOC' | 'FOK' | 'POST_ONLY' | 'ASK' | 'BID'

export type OrderStatus = 'NEW' | 'PARTIAL_FILLED' | 'FILLED' | 'CANCELLED'

export type Order = {
  readonly id: number
  readonly accountId: string
  readonly symbol: string
  readonly side: Side
  readonly type: OrderType
  readonly reduceOnly: boolean
  readonly clientOrderId: string | null
  readonly orderTag: string | null
  readonly createdAtMs: number
  /** Null for MARKET. */
  price: bigint | null
  quantity: bigint
  /** How much of what is left the book may show. */
  visible: bigint
  status: OrderStatus
  executed: bigint
  executedValue: bigint
  fee: bigint
  realizedPnl: bigint
  updatedAtMs: number
  /** Place in the queue at its price: the lower, the earlier. */
  priority: number
  /** When it took that place. */
  restedAtMs: number
}

/** One side of one execution. */
export type Trade = {
  readonly id: number
  readonly accountId: string
  readonly matchId: number
  readonly orderId: number
  readonly symbol: string
  readonly side: Side
  readonly price: bigint
  readonly quantity: bigint
  readonly fee: bigint
  readonly realizedPnl: bigint
  readonly isMaker: boolean
  readonly atMs: number
}

/** The present life of a position: from flat to flat, or to the other side. */
export type PositionLife = {
  readonly id: number
  readonly openedAtMs: number
  readonly maxQuantity: bigint
  readonly closedQuantity: bigint
  readonly closedValue: bigint
  readonly tradingFee: bigint
  readonly funding: bigint
  readonly realizedPnl: bigint
}

export type Position = {
  readonly accountId: string
  readonly symbol: string
  /** Positive is long. */
  quantity: bigint
  /** What the position has cost so far, fees and funding included. */
  cost: bigint
  averageOpen: bigint
  lastSumUnitary: bigint
  fundedAtMs: number
  /** Funding charged into `cost` and not yet settled into the balance. */
  accruedFunding: bigint
  updatedAtMs: number
  seq: number
  life: PositionLife | null
}

export type ClosedPosition = PositionLife & {
  readonly accountId: string
  readonly symbol: string
  readonly side: 'LONG' | 'SHORT'
  readonly averageOpen: bigint
  readonly leverage: number
  readonly closedAtMs: number
}

/** Funding charged at one settlement; positive is paid, negative received. */
export type FundingCharge = {
  readonly id: number
  readonly accountId: string
  readonly symbol: string
  readonly rate: bigint
  readonly mark: bigint
  readonly fee: bigint
  readonly atMs: number
}

export type Transfer = {
  readonly id: number
  readonly accountId: string
  readonly side: 'DEPOSIT' | 'WITHDRAW'
  readonly amount: bigint
  readonly txId: string
  readonly chainId: string
  readonly atMs: number
}

/** What an account traded on one UTC date. */
export type Day = {
  readonly accountId: string
  readonly date: string
  volume: bigint
  fees: bigint
}

export type Key = {
  readonly id: number
  readonly accountId: string
  readonly publicKey: string
  readonly scope: string
  readonly expiresAtMs: number
  readonly tag: string | null
}

export type Profile = {
  readonly accountId: string
  readonly userId: number
  readonly address: string
  readonly brokerId: string
  readonly createdAtMs: number
  /** The USDC balance. A trade does not change it: see `Position.cost`. */
  holding: bigint
  holdingAtMs: number
  leverage: number
  leverages: Readonly<Record<string, number>>
  /** Traded since registration. */
  volume: bigint
}

export type Account = {
  readonly profile: Profile
  readonly keys: Map<string, Key>
  readonly open: Map<number, Order>
  readonly positions: Map<string, Position>
  readonly days: Map<string, Day>
  /** Histories, oldest first. */
  readonly finished: Order[]
  readonly trades: Trade[]
  readonly fundings: FundingCharge[]
  readonly closed: ClosedPosition[]
  readonly transfers: Transfer[]
}

export type Counters = {
  /** The last number given to anything: orders, trades, keys and users share one sequence. */
  sequence: number
  /** Up to when the seeded market has been matched with resting orders. */
  advancedAtMs: number
}

/** Seeded liquidity of a market that users have taken in one bucket. */
export type Consumed = {
  readonly symbol: string
  readonly bucket: number
  readonly taken: Sides<{ readonly price: bigint; quantity: bigint }[]>
}

/** A market as the exchange trades it: one that is REDUCE_ONLY takes closing orders only. */
export type Tradable = Instrument & { readonly status?: 'ACTIVE' | 'REDUCE_ONLY' }

export type TradableFeed = Omit<Feed, 'instruments'> & {
  readonly instruments: ReadonlyMap<string, Tradable>
}

/** Everything the exchange knows. Functions take it as their first argument; nothing else holds state. */
export type Exchange = {
  readonly feed: TradableFeed
  readonly journal: Journal
  readonly counters: Counters
  readonly accounts: Map<string, Account>
  /** Registration nonces that can still be spent, and until when (real time). */
  readonly nonces: Map<string, number>
  /** Resting orders of users, best first. */
  readonly books: Map<string, Sides<Order[]>>
  readonly consumed: Map<string, Consumed>
}

/** An account nobody has traded with yet. */
export function emptyAccount(profile: Profile): Account {
  return {
    profile,
    keys: new Map(),
    open: new Map(),
    positions: new Map(),
    days: new Map(),
    finished: [],
    trades: [],
    fundings: [],
    closed: [],
    transfers: [],
  }
}

/** A number that nothing else has. */
export function nextId({ counters }: Pick<Exchange, 'counters'>): number {
  counters.sequence += 1
  return counters.sequence
}

/** The side an order trades against. */
export function opposite(side: Side): Side {
  return side === 'BUY' ? 'SELL' : 'BUY'
}

/** What of an order is not executed yet. */
export function leftOf(order: Order): bigint {
  return order.quantity - order.executed
}

/** Whether an order can still fill. */
export function isOpen(order: Order): boolean {
  return order.status === 'NEW' || order.status === 'PARTIAL_FILLED'
}
