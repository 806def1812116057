/** Prices and quantities are bigint with eight decimals; USDC amounts are bigint with six. */

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
  /** Sum of mark × rate over all settlements so far, USDC per unit, eight decimals. */
  readonly sumUnitary: bigint
}
