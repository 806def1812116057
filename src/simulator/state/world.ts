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
  /** The index in ticks, with a fraction; null before the symbol's first candle. */
  readonly priceAt: (symbol: string, atMs: number) => number | null
  /** When a symbol's price next reaches an open, extreme or close of a candle; null after the last. */
  readonly nextStopMs: (symbol: string, afterMs: number) => number | null
  /**
   * The time since which no candle has moved a symbol's price: null while a candle moves it, minus infinity without
   * candles.
   */
  readonly stillSinceMs: (symbol: string, atMs: number) => number | null
}

/** The common factor of all seeded prices. */
export type CommonFactor = { readonly rng: Rng; level: number; volatility: number; drift: number }

/** A funding period of a live market that this world has not reached yet: its rate and its end. */
export type MirroredFunding = { later: { readonly rate: number; readonly nextMs: number } | null }

/** A market with everything that the world simulates around it. */
export type Scene = {
  readonly market: EngineMarket
  readonly listed: Listed
  readonly rng: Rng
  /** The index in ticks, with its fraction. */
  index: number
  /** The level of the common factor up to which the index has followed it. */
  followed: number
  steppedAtMs: number
  /** The current volatility as a multiple of the usual volatility. */
  volatility: number
  /** Mid price minus index in ticks, once per minute of the last minutes. */
  readonly basis: number[]
  /** The sum of premiums since the last settlement. */
  premiumSum: number
  premiums: number
  lastRate: number
  /** A tape's last mark price in ticks; null without a recorded mark price. */
  recordedMark: number | null
  /** A tape's last estimated funding rate, with eight decimals; null without a recorded rate. */
  recordedRate: number | null
  lastFundedAtMs: number
  nextFundingAtMs: number
  /** The numbers of the agents that react to this market. */
  readonly makers: number[]
  readonly arbitrageurs: number[]
  readonly history: MarketHistory
  /** The simulated order flow; null for a market that has only single simulated traders. */
  readonly flow: MarketFlow | null
  /** The live market's funding, for a market that mirrors one; absent for any other. */
  readonly mirrored?: MirroredFunding
  /** The operator's overrides. */
  readonly overrides: Overrides
  /** Whether the mark price must be computed again, after a trade or a change of the index. */
  isStale: boolean
}

/** A request to a strategy vault: to deposit micro-USDC or to withdraw micro-shares. */
export type RequestToVault = {
  readonly wallet: string
  /** `lp`: a liquidity provider, which shares the vault's result. `provider`: the wallet that trades for the vault. */
  readonly role: 'lp' | 'provider'
  readonly type: 'deposit' | 'withdrawal'
  /** `account`: the number of the account. `broker`: the account's builder. Both are null for a wallet on a chain. */
  readonly account: number | null
  readonly broker: string | null
  readonly nonce: string | null
  readonly chainId: string
  readonly atMs: number
  readonly size: number
}

/** A user's request to a vault. `paid`: the micro-USDC that the account has received for the request so far. */
export type VaultRequest = RequestToVault & { readonly vault: number; paid: number }

/** The exchange with its simulated traders and its scheduled events. */
export type EngineWorld = {
  readonly seed: number
  readonly beginsAtMs: number
  readonly exchange: ExchangeState
  readonly queue: Queue
  readonly prices: IndexSource
  readonly factor: CommonFactor
  /** The tape that is played into the books; null for simulated traders alone. */
  readonly tape: Playback | null
  /** Scenes by market number. */
  readonly scenes: readonly Scene[]
  readonly agents: Agent[]
  /** Agents by their account's number. */
  readonly agentOf: Map<number, Agent>
  readonly fund: Account
  /** Users' requests to vaults: deposits and withdrawals, oldest first. */
  readonly vaultRequests: VaultRequest[]
  /** Accounts that have tokens other than USDC. */
  readonly tokenHolders: Set<Account>
  readonly stale: Scene[]
  /** All events up to this time have been processed. */
  nowMs: number
  /** Number of events so far, and of orders that agents have placed, changed or cancelled. */
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

/** A simulated trader: an ordinary account with a limited budget and its own random numbers. */
export type Agent = {
  readonly number: number
  readonly role: AgentRole
  readonly account: Account
  /** The number of the market in which the agent trades. Whales and liquidators change it. */
  market: number
  readonly rng: Rng
  /** The agent's initial balance in micro-USDC. */
  readonly stake: number
  /** Micro-USDC that the agent may still deposit after losses. */
  purse: number
  /** The agent's position among the agents of its role, from 0. */
  readonly rank: number
  /** A maker's quotes by slot, bids first. */
  readonly quotes: (EngineOrder | null)[]
  /** A maker's last price in ticks, a whale's steps left to trade, or the steps that a holder keeps. */
  anchor: number
  /** Whether an event of this agent is already planned. */
  isAwake: boolean
}
