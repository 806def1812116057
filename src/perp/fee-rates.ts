import { larger } from '../core/decimals.ts'
import type { Row } from '../core/json.ts'
import { toAmount } from './amounts.ts'

/** The taker and maker fee rates, as fractions; null while they are unknown. */
export type FeeRates = { readonly takerFee: bigint | null; readonly makerFee: bigint | null }

/** The fee rates of an account. Markets of stocks, metals and currencies (`rwa`) have separate rates. */
export type AccountFees = { readonly crypto: FeeRates; readonly rwa: FeeRates }

/**
 * The fee rates in an account's answers, converted from basis points. For each rate, the first answer that has it
 * counts.
 */
export function parseFees(answers: readonly Row[]): AccountFees {
  const rate = (field: string) => {
    const found = answers.map((answer) => toAmount(answer[field])).find((each) => each !== null)
    return found === undefined || found === null ? null : found / 10_000n
  }
  const rates = (name: string) => ({
    takerFee: rate(`${name}_taker_fee_rate`),
    makerFee: rate(`${name}_maker_fee_rate`),
  })
  return { crypto: rates('futures'), rwa: rates('rwa') }
}

/** The markets of stocks, metals and currencies; null while they are unknown. */
export type RwaMarkets = ReadonlySet<unknown> | null

/**
 * The fee rates of an account in a market. If the market's kind is unknown, a rate is given only if both kinds share
 * it.
 */
export function feesIn(
  { crypto, rwa }: AccountFees,
  symbol: string,
  rwaMarkets: RwaMarkets,
): FeeRates {
  if (rwaMarkets) return rwaMarkets.has(symbol) ? rwa : crypto
  const same = (name: keyof FeeRates) => (crypto[name] === rwa[name] ? crypto[name] : null)
  return { takerFee: same('takerFee'), makerFee: same('makerFee') }
}

/** The fee rates for an order's estimate. An unknown rate is replaced by the higher of the account's known rates. */
export function estimatedFees(fees: AccountFees, symbol: string, rwaMarkets: RwaMarkets): FeeRates {
  const own = feesIn(fees, symbol, rwaMarkets)
  const estimated = (name: keyof FeeRates) => {
    const [one, other] = [fees.crypto[name], fees.rwa[name]]
    return own[name] ?? (one === null || other === null ? (one ?? other) : larger(one, other))
  }
  return { takerFee: estimated('takerFee'), makerFee: estimated('makerFee') }
}
