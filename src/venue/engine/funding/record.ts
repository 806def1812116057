import type { Exposure, Market } from '../state.ts'

/** One holder's part of a settlement; positive is paid. */
export type FundingCharge = { readonly exposure: Exposure; readonly fee: number }

/** One settlement of a market: rate with eight decimals, mark in ticks. */
export type FundingSettlement = {
  readonly market: Market
  readonly atMs: number
  readonly rate: number
  readonly mark: number
  readonly charges: readonly FundingCharge[]
}
