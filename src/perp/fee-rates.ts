import { larger } from '../core/decimals.ts'
import type { Row } from '../core/json.ts'
import { toAmount } from './amounts.ts'

/** The fee rates of taking from and resting in the book, as fractions. */
export type FeeRates = { readonly takerFee: bigint; readonly makerFee: bigint }

/** The fee rates of an account; null is unknown. Markets of stocks, metals and currencies (`rwa`) have rates of their own. */
export type AccountFees = { readonly crypto: FeeRates | null; readonly rwa: FeeRates | null }

/** The fee rates in answers of an account, in basis points there; the first answer that has a rate gives it. */
export function parseFees(answers: readonly Row[]): AccountFees {
  const rate = (field: string) => {
    const found = answers.map((answer) => toAmount(answer[field])).find((each) => each !== null)
    return found === undefined || found === null ? null : found / 10_000n
  }
  const rates = (name: string) => {
    const [takerFee, makerFee] = [rate(`${name}_taker_fee_rate`), rate(`${name}_maker_fee_rate`)]
    return takerFee == null || makerFee == null ? null : { takerFee, makerFee }
  }
  return { crypto: rates('futures'), rwa: rates('rwa') }
}

/** The markets of stocks, metals and currencies; null while they are unknown. */
export type RwaMarkets = ReadonlySet<unknown> | null

/** The fee rates of an account in a market; null is unknown. */
export function feesIn(
  { crypto, rwa }: AccountFees,
  symbol: string,
  rwaMarkets: RwaMarkets,
): FeeRates | null {
  if (rwaMarkets) return rwaMarkets.has(symbol) ? rwa : crypto
  const isSame = crypto?.takerFee === rwa?.takerFee && crypto?.makerFee === rwa?.makerFee
  return isSame ? crypto : null
}

/** The fee rates by which an order is estimated: where those of its market are unknown, the highest that are known. */
export function estimatedFees(fees: AccountFees, symbol: string, rwaMarkets: RwaMarkets): FeeRates {
  const highest = (name: keyof FeeRates) =>
    [fees.crypto, fees.rwa].map((rates) => rates?.[name] ?? 0n).reduce(larger)
  return (
    feesIn(fees, symbol, rwaMarkets) ?? {
      takerFee: highest('takerFee'),
      makerFee: highest('makerFee'),
    }
  )
}
