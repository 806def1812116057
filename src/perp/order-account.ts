import type { FeeRates } from './fee-rates.ts'
import type { MarginAccount } from './margin-account.ts'
import type { RateTerms } from './margin-rates.ts'
import type { Terms } from './market-state.ts'

/** An account with its fee rates in an order's market, and the margin rates of its market and margin mode. */
export type OrderAccount = Omit<MarginAccount, 'fees'> &
  FeeRates & {
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
