import { DAY_MS, HOUR_MS } from '../../../spec/durations.ts'
import { MICRO, ONE } from '../units.ts'

/** What one strategy vault is, and what its past before this world was like. Rates have eight decimals. */
export type VaultTerms = {
  /** What its id, its accounts and its chance are derived from. */
  readonly name: string
  readonly kind: 'protocol' | 'community'
  readonly title: string
  readonly description: string
  readonly provider: string
  /** Offers on both sides of its markets, or follows their prices. */
  readonly strategy: 'making' | 'following'
  readonly bases: readonly string[]
  readonly leverage: number
  readonly takerBps: number
  readonly makerBps: number
  /** The provider's part of what the liquidity providers gain beyond their best day so far. */
  readonly feeRate: number
  readonly investors: number
  readonly past: {
    readonly days: number
    /** What the provider began with, and what the liquidity providers brought with them, USDC. */
    readonly providerUsdc: number
    readonly investorsUsdc: number
    /** Shares of the value: what a day brings, how far it strays, what is traded in it, and what that costs. */
    readonly dailyReturn: number
    readonly dailyVolatility: number
    readonly dailyTurnover: number
    readonly feeOfTurnover: number
  }
}

/** What all vaults have in common. */
export const VAULT_RULES = {
  periodMs: DAY_MS,
  /** For how long shares that a deposit bought cannot be given back. */
  lockMs: 48 * HOUR_MS,
  depositMin: 10 * MICRO,
  /** Micro-shares. */
  withdrawalMin: 10 * MICRO,
  /** A vault that is worth less than this in micro-USDC takes no deposits any more. */
  valueMin: 1000 * MICRO,
  /** The part of all main shares that one period gives back. */
  gate: ONE / 10,
  /** The part of all strategy shares that the provider keeps. */
  providerSharesMin: ONE / 20,
  /** For how long a nonce can be spent. */
  nonceLifeMs: HOUR_MS,
  /** Requests of one wallet that wait in one vault. */
  pendingMax: 50,
} as const

export const VAULT_TERMS: readonly VaultTerms[] = [
  {
    name: 'making',
    kind: 'protocol',
    title: 'Steady Quotes',
    description:
      'Offers on both sides of the largest markets, and takes over what is liquidated there.',
    provider: 'House Desk',
    strategy: 'making',
    bases: ['BTC', 'ETH', 'SOL', 'BNB', 'XRP'],
    leverage: 10,
    takerBps: 3,
    makerBps: 0.5,
    feeRate: (ONE * 3) / 10,
    investors: 14,
    past: {
      days: 210,
      providerUsdc: 600_000,
      investorsUsdc: 6_000_000,
      dailyReturn: 0.0008,
      dailyVolatility: 0.002,
      dailyTurnover: 4,
      feeOfTurnover: 0.00005,
    },
  },
  {
    name: 'following',
    kind: 'community',
    title: 'Long Waves',
    description: 'Follows prices that have left their average of hours, long or short.',
    provider: 'Wave Rider',
    strategy: 'following',
    bases: ['BTC', 'ETH', 'SOL', 'DOGE', 'SUI', 'AVAX'],
    leverage: 5,
    takerBps: 4,
    makerBps: 1,
    feeRate: (ONE * 2) / 10,
    investors: 9,
    past: {
      days: 96,
      providerUsdc: 120_000,
      investorsUsdc: 700_000,
      dailyReturn: 0.0008,
      dailyVolatility: 0.015,
      dailyTurnover: 5,
      feeOfTurnover: 0.0001,
    },
  },
]
