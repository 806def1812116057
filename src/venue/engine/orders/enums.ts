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
