/** Prices and quantities are bigint with eight decimals; USDC amounts are bigint with six. */

/** One perpetual market: its rules and the parameters of its simulation. Decimals are text in the table. */
export type Instrument = {
  readonly symbol: string
  readonly base: string
  readonly quoteTick: bigint
  readonly quoteMin: bigint
  readonly quoteMax: bigint
  readonly baseTick: bigint
  readonly baseMin: bigint
  readonly baseMax: bigint
  /** Smallest order value, six decimals. */
  readonly minNotional: bigint
  /** Fractions with eight decimals: 0.03 is 3_000_000n. */
  readonly priceRange: bigint
  readonly priceScope: bigint
  readonly baseImr: bigint
  readonly baseMmr: bigint
  readonly imrFactor: number
  readonly fundingPeriodHours: 1 | 4 | 8
  readonly capFunding: bigint
  readonly floorFunding: bigint
}

export type Level = { readonly price: bigint; readonly quantity: bigint }

/** Best first on both sides. */
export type Book = { readonly bids: readonly Level[]; readonly asks: readonly Level[] }

export type Tick = {
  readonly atMs: number
  readonly side: 'BUY' | 'SELL'
  readonly price: bigint
  readonly quantity: bigint
}

export type FundingState = {
  readonly estimatedRate: bigint
  readonly lastRate: bigint
  readonly lastAtMs: number
  readonly nextAtMs: number
  /** Sum of mark x rate over all settlements so far, USDC a unit, eight decimals. */
  readonly sumUnitary: bigint
}
