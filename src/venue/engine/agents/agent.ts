import type { Chance } from '../chance.ts'
import type { Account, Order } from '../state.ts'

export type AgentRole =
  | 'maker'
  | 'taker'
  | 'speculator'
  | 'momentum'
  | 'arbitrageur'
  | 'holder'
  | 'whale'
  | 'liquidator'

/** Someone who trades by itself: an account like any other, a purse that it never leaves, and its own chance. */
export type Agent = {
  readonly number: number
  readonly role: AgentRole
  readonly account: Account
  /** The market it trades; whales and liquidators move on. */
  market: number
  readonly chance: Chance
  /** Micro-USDC that it began with, and what it may yet pay in when that is lost. */
  readonly stake: number
  purse: number
  /** Which of several of its kind it is. */
  readonly rank: number
  /** Of a maker: its quotes by slot, bids first. */
  readonly quotes: (Order | null)[]
  /** The price it last quoted around, in ticks; of a whale the steps left to trade, of a holder those it keeps. */
  anchor: number
  /** An event of this agent is planned already. */
  isAwake: boolean
}
