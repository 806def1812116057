/**
 * The orders that a market takes:
 * - ACTIVE: all orders.
 * - POST_ONLY: orders that may rest in the book.
 * - REDUCE_ONLY: reduce-only orders.
 * - PENDING, DELISTING: the market refuses orders.
 * - DELISTED: the market refuses orders, and its positions are closed.
 */
export type MarketStatus =
  | 'ACTIVE'
  | 'POST_ONLY'
  | 'REDUCE_ONLY'
  | 'PENDING'
  | 'DELISTING'
  | 'DELISTED'

/** A market's rules as integers. */
export type MarketSpec = {
  readonly symbol: string
  /** Micro-USDC that one tick times one step is worth. */
  readonly unit: number
  /** The tick and the step with eight decimals. */
  readonly tick: number
  readonly step: number
  readonly priceMin: number
  readonly priceMax: number
  readonly quantityMin: number
  readonly quantityMax: number
  readonly notionalMin: number
  readonly priceRange: number
  readonly priceScope: number
  readonly baseImr: number
  readonly baseMmr: number
  readonly imrFactor: number
  /** Below this notional the margin rates are the base rates. */
  readonly growsFrom: number
  readonly openInterestMax: number
  readonly fundingPeriodMs: number
  readonly fundingCap: number
  /** How far the mark may stray from the index. */
  readonly markDeviation: number
  readonly liquidationFee: number
  readonly liquidatorFee: number
  /** 1: all positions shrink together; 2: one market at a time. */
  readonly liquidationTier: 1 | 2
  /** Of an asset outside of crypto: such markets have fee rates of their own. */
  readonly isRwa: boolean
}
