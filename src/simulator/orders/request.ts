import type { MarketSpec } from '../state/market-spec.ts'
import type { Account, EngineMarket, EngineOrderType, SideSign } from '../state/state.ts'

/** A requested order in ticks, steps and micro-USDC. */
export type OrderRequest = {
  readonly account: Account
  readonly market: EngineMarket
  readonly side: SideSign
  readonly type: EngineOrderType
  /** The price in ticks; 0 for types that take their price from the book. */
  readonly price: number
  readonly quantity: number
  /** Micro-USDC to spend or to receive, if no quantity is given; otherwise null. */
  readonly amount: number | null
  /** Visible quantity in steps; null means the whole quantity. */
  readonly visible: number | null
  readonly reduceOnly: boolean
  readonly clientOrderId: string | null
  readonly orderTag: string | null
  /** Maximum slippage of a MARKET order, as a rate; null for no limit. */
  readonly slippage: number | null
  /** Which of the five best prices an ASK or BID order takes, from 0. */
  readonly level: number
  /**
   * Whether a POST_ONLY order that would match rests one tick from the best opposite price. False: such an order is
   * refused.
   */
  readonly adjusts: boolean
  /** Whether the margin is isolated; null means the account's default mode in this market. */
  readonly isolated: boolean | null
  /**
   * The part of the available quantity that the order gets. The rest of the order is cancelled. Absent: the whole
   * quantity.
   */
  readonly fillShare?: number | undefined
}

/** The defaults of an order. */
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

/** By order type: whether the unfilled rest of an order stays in the book. */
export const REST_STAYS_IN_BOOK: Readonly<Record<EngineOrderType, boolean>> = {
  LIMIT: true,
  MARKET: false,
  IOC: false,
  FOK: false,
  POST_ONLY: true,
  ASK: true,
  BID: true,
}

/** An order tag that adds a fee to each execution. Rates have eight decimals. */
export type OrderEnum = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly rate: number
  /** Rates of markets that differ from the default. */
  readonly overrides: Readonly<Record<string, number>>
}

/** The tags with a fee that every builder has. An order names such a tag as `enum:<builder>:<id>`. */
export const ORDER_ENUMS: readonly OrderEnum[] = [
  {
    id: 'GRID_PRO',
    name: 'Grid trading',
    description: 'Orders that a grid places.',
    rate: 5_000,
    overrides: { PERP_BTC_USDC: 2_000, PERP_ETH_USDC: 2_000 },
  },
  {
    id: 'COPY_TRADE',
    name: 'Copy trading',
    description: 'Orders that follow another trader.',
    rate: 10_000,
    overrides: {},
  },
]

const ENUM_TAG = /^enum:[a-z0-9_-]{1,64}:(\w{1,64})$/i

/** The fee rate that an order's tag adds in a market; null if the tag names an unknown enum. */
export function enumFeeRate(tag: string | null, { symbol }: Pick<MarketSpec, 'symbol'>) {
  if (tag === null || !tag.startsWith('enum:')) return 0
  const [, id] = ENUM_TAG.exec(tag) ?? []
  const found = ORDER_ENUMS.find((each) => each.id === id)
  return found ? (found.overrides[symbol] ?? found.rate) : null
}
