import type { MarketSpec } from '../market-spec.ts'

/** A tag that adds a fee to every execution of an order. Rates have eight decimals. */
export type OrderEnum = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly rate: number
  /** Rates of single markets in place of that. */
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

/** What an order's tag adds to its fees in a market; null for a tag that should name an enum and names none. */
export function enumRateOf(tag: string | null, { symbol }: Pick<MarketSpec, 'symbol'>) {
  if (tag === null || !tag.startsWith('enum:')) return 0
  const [, id] = ENUM_TAG.exec(tag) ?? []
  const found = ORDER_ENUMS.find((each) => each.id === id)
  return found ? (found.overrides[symbol] ?? found.rate) : null
}
