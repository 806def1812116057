import type { FundingSettlement } from './funding/record.ts'
import type { Claim, Liquidation } from './liquidation/record.ts'
import type { Move } from './money/move.ts'
import type { Deposit, Settled } from './money/record.ts'
import type { Account, AlgoOrder, Exposure, Market, Order, PositionLife, Side } from './state.ts'
import type { Closing } from './vaults/period.ts'
import type { Sample, Transaction, Vault } from './vaults/vault.ts'

/** One match of two orders, told once. Quantities and prices are the market's. */
export type Match = {
  readonly id: number
  readonly market: Market
  readonly atMs: number
  readonly taker: Order
  readonly maker: Order
  readonly price: number
  readonly quantity: number
  /** The resting quantity was not shown, so its owner paid as a taker. */
  readonly isHidden: boolean
  readonly takerFee: number
  readonly makerFee: number
  readonly takerPnl: number
  readonly makerPnl: number
}

/** An order whose trigger the mark has met. */
export type Trigger = {
  readonly account: Account
  readonly market: Market
  readonly id: number
  /** Such as STOP_LOSS. */
  readonly type: string
  readonly side: Side
  /** Ticks. */
  readonly price: number
  readonly atMs: number
}

/** What the operator of the venue says to everybody. */
export type Announcement = { readonly id: number; readonly text: string; readonly atMs: number }

/** Hears what happened, in order, while it happens. It must not change anything. */
export type Observer = {
  readonly matched?: (match: Match) => void
  /** An order was accepted, changed or ended. */
  readonly ordered?: (order: Order) => void
  readonly triggered?: (trigger: Trigger) => void
  /** An algo order was accepted, changed or ended: its root. */
  readonly algo?: (root: AlgoOrder) => void
  readonly closed?: (exposure: Exposure, life: PositionLife, side: Side, atMs: number) => void
  readonly liquidated?: (liquidation: Liquidation) => void
  /** A liquidator took a position over from the insurance fund. */
  readonly claimed?: (claim: Claim) => void
  readonly funded?: (settlement: FundingSettlement) => void
  readonly deposited?: (deposit: Deposit) => void
  /** Money has come to another stage of its way. */
  readonly moved?: (move: Move, status: string, atMs: number) => void
  readonly settled?: (settled: Settled) => void
  /** Something was said to these accounts. */
  readonly announced?: (accounts: readonly Account[], announcement: Announcement) => void
  /** An account has read some of its notifications, or all of them (null), or wants them as new again. */
  readonly marked?: (account: Account, ids: readonly number[] | null, isRead: boolean) => void
  /** What a vault is worth at the hour. */
  readonly valued?: (vault: Vault, sample: Sample) => void
  readonly periodEnded?: (vault: Vault, closing: Closing) => void
  /** An investor has fetched what it was owed. */
  readonly transacted?: (vault: Vault, transaction: Transaction) => void
  /** A minute of the world has begun. */
  readonly minute?: (accounts: readonly Account[], atMs: number) => void
}
