import type { FundingSettlement } from './funding/record.ts'
import type { Liquidation } from './liquidation/record.ts'
import type { Account, Exposure, Market, Order, PositionLife, Side } from './state.ts'

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

/** Hears what happened, in order, while it happens. It must not change anything. */
export type Observer = {
  readonly matched?: (match: Match) => void
  /** An order was accepted, changed or ended. */
  readonly ordered?: (order: Order) => void
  readonly closed?: (exposure: Exposure, life: PositionLife, side: Side, atMs: number) => void
  readonly liquidated?: (liquidation: Liquidation) => void
  readonly funded?: (settlement: FundingSettlement) => void
  /** A minute of the world has begun. */
  readonly minute?: (accounts: readonly Account[], atMs: number) => void
}
