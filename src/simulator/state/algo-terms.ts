/** `units.ts` defines the units. 0 stands for a missing price, trigger or callback. */

/** The kind of an algo order. TAKE_PROFIT and STOP_LOSS exist only as legs of another order. */
export type AlgoType =
  | 'STOP'
  | 'TP_SL'
  | 'POSITIONAL_TP_SL'
  | 'BRACKET'
  | 'TRAILING_STOP'
  | 'TAKE_PROFIT'
  | 'STOP_LOSS'

/** The type of the order that a trigger sends to the book. CLOSE_POSITION closes the whole position at that time. */
type AlgoOrderType = 'LIMIT' | 'MARKET' | 'CLOSE_POSITION'

/** A requested algo order with its legs. */
export type AlgoRequest = {
  readonly algoType: AlgoType
  readonly side: 1 | -1
  readonly type: AlgoOrderType
  readonly price: number
  readonly quantity: number
  readonly trigger: number
  /** For a trailing stop: the price at which it starts to trail, and its distance as a rate or in ticks. */
  readonly activation: number
  readonly callbackRate: number
  readonly callbackTicks: number
  readonly reduceOnly: boolean
  readonly clientOrderId: string | null
  readonly orderTag: string | null
  /** Whether the margin is isolated; null means the account's default mode in the market. */
  readonly isolated: boolean | null
  readonly children: readonly AlgoRequest[]
}

/** The defaults of an algo order. */
export const PLAIN_ALGO = {
  type: 'MARKET',
  price: 0,
  quantity: 0,
  trigger: 0,
  activation: 0,
  callbackRate: 0,
  callbackTicks: 0,
  reduceOnly: false,
  clientOrderId: null,
  orderTag: null,
  isolated: null,
  children: [],
} as const satisfies Partial<AlgoRequest>

type AlgoStatus = 'NEW' | 'PARTIAL_FILLED' | 'FILLED' | 'CANCELLED' | 'REJECTED'

/** An algo order as plain data: its terms and its state. */
export type AlgoTerms = Omit<
  AlgoRequest,
  'children' | 'price' | 'quantity' | 'trigger' | 'isolated'
> & {
  readonly id: number
  readonly createdAtMs: number
  readonly isolated: boolean
  price: number
  quantity: number
  /** The trigger price in ticks. The trigger of a trailing stop follows the mark price. */
  trigger: number
  /** True if a mark price at or above the trigger meets the trigger; false if a mark price at or below meets it. */
  isAbove: boolean
  /**
   * Whether the mark price is compared with the trigger. A bracket's leg is activated by the bracket's first fill, a
   * trailing stop by its activation price.
   */
  isActivated: boolean
  /** The best mark price since a trailing stop was activated. */
  extreme: number
  status: AlgoStatus
  triggeredAtMs: number | null
  updatedAtMs: number
  /** The ids of the orders that the algo order has sent. */
  readonly orders: number[]
  /** Sums over the ended orders that the algo order sent: steps, ticks × steps, and micro-USDC. */
  executed: number
  executedValue: number
  fee: number
  realizedPnl: number
}
