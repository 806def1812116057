/** Prices and quantities are bigints with eight decimals; USDC amounts are bigints with six. */

export type FeedLevel = { readonly price: bigint; readonly quantity: bigint }

/** Both sides are ordered best first. */
export type FeedBook = { readonly bids: readonly FeedLevel[]; readonly asks: readonly FeedLevel[] }

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
  /** Sum of mark price × rate over all settlements so far: USDC per unit with eight decimals. */
  readonly sumUnitary: bigint
}
