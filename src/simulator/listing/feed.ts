/** Prices and quantities are bigint with eight decimals; USDC amounts are bigint with six. */

export type FeedLevel = { readonly price: bigint; readonly quantity: bigint }

/** Best first on both sides. */
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
  /** Sum of mark × rate over all settlements so far, USDC per unit, eight decimals. */
  readonly sumUnitary: bigint
}
