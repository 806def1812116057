import type { Account, Market } from '../state.ts'

/** One part of a position changing hands. `quantity` has the sign of the position it came from. */
export type Takeover = {
  readonly market: Market
  readonly to: Account
  readonly by: 'liquidator' | 'fund' | 'adl'
  readonly quantity: number
  /** What the position was before. */
  readonly held: number
  /** Ticks. */
  readonly price: number
  readonly liquidatorFee: number
  readonly fundFee: number
}

/** One liquidation, from the order that goes first to the last part taken over. Micro-USDC and rates of then. */
export type Liquidation = {
  readonly id: number
  readonly atMs: number
  readonly account: Account
  readonly isolated: boolean
  readonly collateral: number
  readonly notional: number
  readonly maintenance: number
  /** What of the balance went to the insurance fund, when nothing was left for fees; below zero, what it paid. */
  transferred: number
  readonly takeovers: Takeover[]
}

/** A position of the insurance fund that a liquidator took, at the mark less a discount in micro-USDC. */
export type Claim = {
  readonly id: number
  readonly atMs: number
  readonly market: Market
  readonly to: Account
  readonly quantity: number
  /** Ticks. */
  readonly price: number
  readonly discount: number
}
