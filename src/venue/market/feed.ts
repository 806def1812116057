/** Prices and quantities are bigint with eight decimals; USDC amounts are bigint with six. */

/** One perpetual market: its rules and what the seeded world needs to know about it. Decimals are text in the table. */
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

/** The seeded side of every market: a pure function of seed and time, apart from the executions recorded in it. */
export type Feed = {
  readonly instruments: ReadonlyMap<string, Instrument>
  /** The seeded book and mark do not change within one bucket. */
  readonly bucketMs: number
  readonly index: (symbol: string, atMs: number) => bigint
  readonly mark: (symbol: string, atMs: number) => bigint
  readonly book: (symbol: string, atMs: number) => Book
  /** Seeded trades with fromMs <= atMs < toMs, oldest first. */
  readonly trades: (symbol: string, fromMs: number, toMs: number) => readonly Tick[]
  readonly funding: (symbol: string, atMs: number) => FundingState
  /** Adds an execution between users (or a user and the seeded side) to tape, candles and 24h figures. */
  readonly record: (symbol: string, tick: Tick) => void
}
