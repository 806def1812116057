import { absolute, larger, ONE, PER_MICRO, smaller } from '../../../core/decimals.ts'
import { amountNumber, times } from '../../../perp/amounts.ts'
import type { Position } from '../account/rows.ts'
import type { Rule } from '../market/rows.ts'
import { liquidationPrice } from './estimate.ts'
import { initialOf, type MarketAccount, maintenanceRate, valueWithOrders } from './margin.ts'

/** What an account would have in a market after its leverage or margin mode is changed. */
export type MarginAfter = {
  /** Initial margin of the position and the open orders. */
  readonly margin: bigint
  readonly free: bigint
  /** Largest value of position and orders; null when it is not known. */
  readonly notionalMax: bigint | null
  /** Why the venue would refuse the change; null when it would not. */
  readonly excess: 'margin' | 'leverage' | null
}

/** The venue’s largest value grows with this power of what leverage leaves of its rates. */
const NOTIONAL_POWER = 1.25

/** Another leverage and what follows from it, for a market in which nothing is held isolated. */
export function atLeverage(rule: Rule, account: MarketAccount, leverage: number): MarginAfter {
  const [before, margin] = [initialOf(rule, account), initialOf(rule, { ...account, leverage })]
  const left = account.free + before - margin
  const notionalMax = notionalMaxAt(account, leverage)
  const isBeyond = notionalMax !== null && valueWithOrders(account) > notionalMax
  const excess = left < 0n ? 'margin' : isBeyond ? 'leverage' : null
  return { margin, free: larger(0n, left), notionalMax, excess }
}

/** The largest value of position and orders that the venue allows at a leverage. */
function notionalMaxAt({ imrFactor, notionalMax }: MarketAccount, leverage: number) {
  if (notionalMax === null || imrFactor <= 0) return null
  const usdc = (1 / (leverage * imrFactor)) ** NOTIONAL_POWER
  return BigInt(Math.floor(Math.min(usdc, 4e9))) * ONE
}

/** What of its margin an isolated position can give back, as the venue counts it. */
export function spareMargin({ size, mark, margin, unsettled, leverage }: Position): bigint {
  const needed = times(absolute(size), mark) / BigInt(Math.max(1, Number(leverage)))
  // A micro-USDC less than the venue’s own rounding leaves.
  return larger(0n, smaller(margin, margin + unsettled) - needed - PER_MICRO)
}

/** The mark that would liquidate an isolated position whose margin is changed by an amount; null where none does. */
export function liquidationAfter(
  rule: Rule,
  { size, mark, margin, unsettled }: Position,
  imrFactor: number,
  amount: bigint,
): bigint | null {
  const rate = maintenanceRate(rule, imrFactor, times(absolute(size), mark))
  const collateral = margin + unsettled + amount
  const price = liquidationPrice({ size, mark, collateral }, () => rate)
  return price !== null && amountNumber(price) > 0 ? price : null
}
