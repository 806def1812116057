import type { Account, Market, OrderType, Side } from '../state.ts'

/** An order as asked for, in the market's integers. */
export type OrderRequest = {
  readonly account: Account
  readonly market: Market
  readonly side: Side
  readonly type: OrderType
  /** Zero for the types that take their price from the book. */
  readonly price: number
  readonly quantity: number
  /** Micro-USDC to spend or earn in place of a quantity; null for a quantity. */
  readonly amount: number | null
  /** Null: all of it. */
  readonly visible: number | null
  readonly reduceOnly: boolean
  readonly clientOrderId: string | null
  readonly orderTag: string | null
  /** A rate, of MARKET orders. */
  readonly slippage: number | null
  /** Which of the book's first five prices an ASK or BID order takes. */
  readonly level: number
  /** Whether a POST_ONLY order gives way by a tick instead of being cancelled. */
  readonly adjusts: boolean
  /** Null: as the account has it in this market. */
  readonly isolated: boolean | null
}

/** What an order is when nothing else is said of it. */
export const PLAIN_ORDER = {
  type: 'LIMIT',
  price: 0,
  amount: null,
  visible: null,
  reduceOnly: false,
  clientOrderId: null,
  orderTag: null,
  slippage: null,
  level: 0,
  adjusts: false,
  isolated: null,
} as const satisfies Partial<OrderRequest>

/** What of an order stays unfilled rests in the book, by its type. */
export const RESTS: Readonly<Record<OrderType, boolean>> = {
  LIMIT: true,
  MARKET: false,
  IOC: false,
  FOK: false,
  POST_ONLY: true,
  ASK: true,
  BID: true,
}
