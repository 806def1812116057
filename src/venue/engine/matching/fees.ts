import type { FeeRates, Order } from '../state.ts'
import { shareOf } from '../units.ts'

/** The rate that an order pays for an execution as taker or maker, eight decimals: its account's and its tag's. */
export function feeRateOf({ exposure, enumRate }: FeePayer, isMaker: boolean): number {
  const { account, market } = exposure
  const { taker, maker }: FeeRates = market.spec.isRwa ? account.rwaFees : account.fees
  return (isMaker ? maker : taker) + enumRate
}

/** What of an execution's fee goes to whoever owns the order's tag; zero without one. */
export function enumFeeOf({ enumRate }: Pick<Order, 'enumRate'>, notional: number): number {
  return enumRate === 0 ? 0 : shareOf(notional, enumRate)
}

type FeePayer = Pick<Order, 'exposure' | 'enumRate'>
