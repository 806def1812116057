import type { MarketSpec } from '../state/market-spec.ts'
import type { Account, EngineMarket, EngineOrderType, SideSign } from '../state/state.ts'

/** A requested order in the market's integers. */
export type OrderRequest = {
  readonly account: Account
  readonly market: EngineMarket
  readonly side: SideSign
  readonly type: EngineOrderType
  /** Zero for the types that take their price from the book. */
  readonly price: number
  readonly quantity: number
  /** Micro-USDC to spend or earn in place of a quantity; null for a quantity. */
  readonly amount: number | null
  /** Null for the total quantity. */
  readonly visible: number | null
  readonly reduceOnly: boolean
  readonly clientOrderId: string | null
  readonly orderTag: string | null
  /** The largest slippage of a MARKET order, as a rate. */
  readonly slippage: number | null
  /** Which of the book's first five prices an ASK or BID order takes. */
  readonly level: number
  /** Whether a POST_ONLY order moves by a tick instead of being cancelled. */
  readonly adjusts: boolean
  /** Null for the account's default margin mode in this market. */
  readonly isolated: boolean | null
  /** The part of the takeable quantity that it gets, with the rest cancelled; absent for all of it. */
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

/** Whether the unfilled rest of an order stays in the book, by its type. */
export const RESTS: Readonly<Record<EngineOrderType, boolean>> = {
  LIMIT: true,
  MARKET: false,
  IOC: false,
  FOK: false,
  POST_ONLY: true,
  ASK: true,
  BID: true,
}

/** A tag that adds a fee to every execution of an order. Rates have eight decimals. */
export type OrderEnum = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly rate: number
  /** Rates of single markets that replace the default. */
  readonly overrides: Readonly<Record<string, number>>
}

/** The tags with a fee of every builder. An order names one as `enum:<builder>:<id>`. */
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

/** The fee rate that an order's tag adds in a market; null for a tag of an unknown enum. */
export function enumFeeRate(tag: string | null, { symbol }: Pick<MarketSpec, 'symbol'>) {
  if (tag === null || !tag.startsWith('enum:')) return 0
  const [, id] = ENUM_TAG.exec(tag) ?? []
  const found = ORDER_ENUMS.find((each) => each.id === id)
  return found ? (found.overrides[symbol] ?? found.rate) : null
}
