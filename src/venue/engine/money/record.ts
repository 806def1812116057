import type { Account, Market, RebateShare } from '../state.ts'

/** What came from outside for an account, from a chain. */
export type Deposit = {
  readonly id: number
  readonly account: Account
  readonly token: string
  readonly amount: number
  readonly chainId: string
  readonly atMs: number
}

/** What of an account's results in one market became balance. */
export type SettledPart = { readonly market: Market; readonly amount: number }

/** One settlement of one account. Micro-USDC. */
export type Settled = {
  readonly id: number
  readonly account: Account
  /** When it was asked for, by its owner or by whoever has the other side. */
  readonly requestedAtMs: number
  readonly atMs: number
  readonly before: number
  readonly after: number
  readonly parts: readonly SettledPart[]
}

/** What one account traded on one UTC day, and what of its fees is for another. Micro-USDC. */
export type RebateDay = {
  readonly day: number
  volume: number
  fees: number
  amount: number
}

/** What of one account's fees is for one account, its own included. */
export type Rebate = {
  readonly from: number
  readonly to: number
  readonly level: RebateShare['level']
  /** Ever; days that are long over are dropped. */
  total: number
  paid: number
  /** Oldest first. */
  readonly days: RebateDay[]
}
