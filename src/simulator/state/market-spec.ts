/**
 * Which orders a market accepts:
 * - ACTIVE: all orders.
 * - POST_ONLY: orders that may rest in the book.
 * - REDUCE_ONLY: reduce-only orders.
 * - PENDING, DELISTING: no orders.
 * - DELISTED: no orders. Its positions have been closed.
 */
export type MarketStatus =
  | 'ACTIVE'
  | 'POST_ONLY'
  | 'REDUCE_ONLY'
  | 'PENDING'
  | 'DELISTING'
  | 'DELISTED'

/** The rules of a market, as integers. */
export type MarketSpec = {
  readonly symbol: string
  /** The value of one tick × one step in micro-USDC. */
  readonly unit: number
  /** The size of a tick in USDC, with eight decimals. */
  readonly tick: number
  /** The size of a step, with eight decimals. */
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
  /** Below this notional, the margin rates are the base rates. */
  readonly growsFrom: number
  readonly openInterestMax: number
  readonly fundingPeriodMs: number
  readonly fundingCap: number
  /** How far the mark price may deviate from the index. */
  readonly markDeviation: number
  readonly liquidationFee: number
  readonly liquidatorFee: number
  /** 1: a liquidation reduces all positions together. 2: one market after the other. */
  readonly liquidationTier: 1 | 2
  /** Whether the asset is outside of crypto. Such markets have other fee rates. */
  readonly isRwa: boolean
}
