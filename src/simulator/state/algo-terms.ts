/** Units as in units.ts. Zero stands for a missing price, trigger or callback. */

/** The kind of an algo order. TAKE_PROFIT and STOP_LOSS are legs of another order. */
export type AlgoType =
  | 'STOP'
  | 'TP_SL'
  | 'POSITIONAL_TP_SL'
  | 'BRACKET'
  | 'TRAILING_STOP'
  | 'TAKE_PROFIT'
  | 'STOP_LOSS'

/** The type of the order sent to the book at the trigger. CLOSE_POSITION closes the whole position of that time. */
type AlgoOrderType = 'LIMIT' | 'MARKET' | 'CLOSE_POSITION'

/** An algo order as asked for, with its legs. */
export type AlgoRequest = {
  readonly algoType: AlgoType
  readonly side: 1 | -1
  readonly type: AlgoOrderType
  readonly price: number
  readonly quantity: number
  readonly trigger: number
  /** Of a trailing stop: where it begins to trail, and how far it stays behind, as a rate or in ticks. */
  readonly activation: number
  readonly callbackRate: number
  readonly callbackTicks: number
  readonly reduceOnly: boolean
  readonly clientOrderId: string | null
  readonly orderTag: string | null
  /** Null for the account's default margin mode in the market. */
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

/** The plain data of an algo order: its terms and its state. */
export type AlgoTerms = Omit<
  AlgoRequest,
  'children' | 'price' | 'quantity' | 'trigger' | 'isolated'
> & {
  readonly id: number
  readonly createdAtMs: number
  readonly isolated: boolean
  price: number
  quantity: number
  /** Of a trailing stop it follows the mark. */
  trigger: number
  /** Whether the trigger is met by marks at or above it, else at or below. */
  isAbove: boolean
  /**
   * Whether marks are compared with the trigger. A bracket's leg is activated at the bracket's first fill, a trailing
   * stop at its activation price.
   */
  isActivated: boolean
  /** The best mark since the activation of a trailing stop. */
  extreme: number
  status: AlgoStatus
  triggeredAtMs: number | null
  updatedAtMs: number
  /** Numbers of the orders it has sent. */
  readonly orders: number[]
  /** Sums over its ended orders: steps, ticks times steps, and micro-USDC. */
  executed: number
  executedValue: number
  fee: number
  realizedPnl: number
}
