import type { Rng } from '../base/rng.ts'
import type { Market as Listed } from '../listing/instruments.ts'
import type { ExchangeState } from './exchange.ts'
import type { MarketFlow } from './flow.ts'
import type { MarketHistory } from './market-history.ts'
import type { Overrides } from './overrides.ts'
import type { Queue } from './queue.ts'
import type { Account, EngineMarket, EngineOrder } from './state.ts'
import type { Playback } from './tape.ts'

/** The source of the index prices. */
export type IndexSource = { readonly kind: 'seeded' } | ReplayedPrices

/** Index prices that follow recorded candles. */
export type ReplayedPrices = {
  readonly kind: 'replayed'
  /** The index in ticks, with a fraction; null before the first candle of a symbol. */
  readonly priceAt: (symbol: string, atMs: number) => number | null
  /** The time of a symbol's next open, extreme or close of a candle; null after the last. */
  readonly nextStopMs: (symbol: string, afterMs: number) => number | null
  /** The time since which no candle moves a symbol's price: null while one does, minus infinity without candles. */
  readonly stillSinceMs: (symbol: string, atMs: number) => number | null
}

/** The common factor of all seeded prices. */
export type Factor = { readonly rng: Rng; level: number; volatility: number; drift: number }

/** The funding of a live market that is ahead of this world: its rate of the next period, and when that ends. */
export type MirroredFunding = { later: { readonly rate: number; readonly nextMs: number } | null }

/** The state of the world for one market. */
export type Scene = {
  readonly market: EngineMarket
  readonly listed: Listed
  readonly rng: Rng
  /** The index in ticks, with its fraction. */
  index: number
  /** The level of the common factor that the index has followed. */
  followed: number
  steppedAtMs: number
  /** The current volatility of this market relative to its usual one. */
  volatility: number
  /** Mid price minus index in the last minutes, in ticks. */
  readonly basis: number[]
  /** Premiums since the last settlement. */
  premiumSum: number
  premiums: number
  lastRate: number
  /** The mark in ticks and the estimated funding rate, eight decimals, that a tape showed last; null without a tape. */
  recordedMark: number | null
  recordedRate: number | null
  lastFundedAtMs: number
  nextFundingAtMs: number
  /** Numbers of the agents that react to this market. */
  readonly makers: number[]
  readonly arbitrageurs: number[]
  readonly history: MarketHistory
  /** The simulated order flow; null for a market with single simulated traders. */
  readonly flow: MarketFlow | null
  /** Of a market that mirrors a live one; absent for others. */
  readonly mirrored?: MirroredFunding
  /** The operator's overrides. */
  readonly overrides: Overrides
  /** Whether the mark must be computed again, after a trade or a new index. */
  isStale: boolean
}

/** A request for a deposit of micro-USDC to a strategy vault, or a withdrawal of micro-shares. */
export type RequestToVault = {
  readonly wallet: string
  /** A liquidity provider shares a vault's result; the provider trades for all of them. */
  readonly role: 'lp' | 'provider'
  readonly type: 'deposit' | 'withdrawal'
  /** The number of the account that pays and is paid, and its builder; null for a wallet on a chain. */
  readonly account: number | null
  readonly broker: string | null
  readonly nonce: string | null
  readonly chainId: string
  readonly atMs: number
  readonly size: number
}

/** A caller's request to a vault, and the micro-USDC that it has paid to the account so far. */
export type VaultRequest = RequestToVault & { readonly vault: number; paid: number }

/** The exchange with its simulated traders and scheduled events. */
export type EngineWorld = {
  readonly seed: number
  readonly beginsAtMs: number
  readonly exchange: ExchangeState
  readonly queue: Queue
  readonly prices: IndexSource
  readonly factor: Factor
  /** The recorded background liquidity; null for simulated traders alone. */
  readonly tape: Playback | null
  /** By market number. */
  readonly scenes: readonly Scene[]
  readonly agents: Agent[]
  /** Agents by the number of their account. */
  readonly agentOf: Map<number, Agent>
  readonly fund: Account
  /** Callers' deposits to vaults and withdrawals from them, oldest first. */
  readonly vaultRequests: VaultRequest[]
  /** Accounts with tokens other than USDC. */
  readonly tokenHolders: Set<Account>
  readonly stale: Scene[]
  /** The time up to which all events are done. */
  nowMs: number
  /** The number of events so far, and of orders that agents placed, changed or cancelled. */
  readonly counts: { events: number; operations: number }
}

export type AgentRole =
  | 'maker'
  | 'taker'
  | 'speculator'
  | 'momentum'
  | 'arbitrageur'
  | 'passive'
  | 'holder'
  | 'whale'
  | 'liquidator'

/** A simulated trader: an ordinary account with a limited budget and random numbers of its own. */
export type Agent = {
  readonly number: number
  readonly role: AgentRole
  readonly account: Account
  /** The market it trades; whales and liquidators move on. */
  market: number
  readonly rng: Rng
  /** Its initial micro-USDC, and the budget left for deposits after losses. */
  readonly stake: number
  purse: number
  /** Its number among the agents of its role. */
  readonly rank: number
  /** Of a maker: its quotes by slot, bids first. */
  readonly quotes: (EngineOrder | null)[]
  /** The price it last quoted around, in ticks; of a whale the steps left to trade, of a holder those it keeps. */
  anchor: number
  /** An event of this agent is planned already. */
  isAwake: boolean
}
