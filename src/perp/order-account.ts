import type { FeeRates } from './fee-rates.ts'
import type { MarginAccount } from './margin-account.ts'
import type { RateTerms } from './margin-rates.ts'
import type { Terms } from './market-state.ts'

/** An account with the fee rates and margin rates that apply to an order in its market and margin mode. */
export type OrderAccount = Omit<MarginAccount, 'fees'> &
  FeeRates & {
    readonly rates: RateTerms
    /** The margin rates of open positions and orders, if the new order sets another leverage. */
    readonly ratesNow?: RateTerms
  }

/** The margin terms now (`now`) and with the order's leverage (`set`). The order's price replaces a missing mark price. */
export function orderTerms(
  mark: bigint | null,
  price: bigint,
  { rates, ratesNow = rates }: OrderAccount,
): { readonly now: Terms; readonly set: Terms } {
  return { now: { ...ratesNow, mark: mark ?? price }, set: { ...rates, mark: mark ?? price } }
}
