import type { MarginAccount } from './margin-account.ts'
import type { RateTerms } from './margin-rates.ts'
import type { Terms } from './market-state.ts'

/** An account and the margin rates of an order's market and margin mode. */
export type OrderAccount = MarginAccount & {
  readonly rates: RateTerms
  /** The rates of what is open now, if `rates` has another leverage. */
  readonly ratesNow?: RateTerms
}

/** The terms of now and those of the order; without a mark price, its own price stands for it. */
export function orderTerms(
  mark: bigint | null,
  price: bigint,
  { rates, ratesNow = rates }: OrderAccount,
): { readonly now: Terms; readonly set: Terms } {
  return { now: { ...ratesNow, mark: mark ?? price }, set: { ...rates, mark: mark ?? price } }
}
