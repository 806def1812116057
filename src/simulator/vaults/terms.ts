import { DAY_MS, HOUR_MS } from '../../contract/durations.ts'
import { MICRO, RATE_ONE } from '../base/units.ts'

/** The terms of one strategy vault. Rates have eight decimals. */
export type VaultTerms = {
  /** The path that its id, its wallets and its random numbers derive from. */
  readonly name: string
  readonly kind: 'protocol' | 'community'
  readonly title: string
  readonly description: string
  readonly provider: string
  readonly bases: readonly string[]
  /** The largest position in one market, USDC. */
  readonly positionUsdc: number
  /** The provider's part of the liquidity providers' gain above the high-water mark. */
  readonly feeRate: number
  /** How many public liquidity providers there are. */
  readonly investors: number
  /** By how many days the vault is older than the world. */
  readonly days: number
  /** First deposits of the provider, and of all public liquidity providers together, USDC. */
  readonly providerUsdc: number
  readonly investorsUsdc: number
  /** Shares of the value: mean gain and volatility of a day, volume of a day; and fees as a share of that volume. */
  readonly dailyReturn: number
  readonly dailyVolatility: number
  readonly dailyTurnover: number
  readonly feeOfTurnover: number
}

/** The rules that all vaults have in common. */
export const VAULT_RULES = {
  periodMs: DAY_MS,
  /** The time for which the shares of a deposit are locked. */
  lockMs: 48 * HOUR_MS,
  depositMin: 10 * MICRO,
  /** Micro-shares. */
  withdrawalMin: 10 * MICRO,
  /** The part of all main shares that one period gives back; the wire publishes it. */
  gate: RATE_ONE / 10,
  /** The part of all strategy shares that the provider keeps. */
  providerSharesMin: RATE_ONE / 20,
  /** The lifetime of a nonce. */
  nonceLifeMs: HOUR_MS,
  /** Maximum number of pending requests per wallet and vault. */
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
    bases: ['BTC', 'ETH', 'SOL', 'BNB', 'XRP'],
    positionUsdc: 400_000,
    feeRate: (RATE_ONE * 3) / 10,
    investors: 14,
    days: 210,
    providerUsdc: 600_000,
    investorsUsdc: 6_000_000,
    dailyReturn: 0.0008,
    dailyVolatility: 0.002,
    dailyTurnover: 0.3,
    feeOfTurnover: 0.00005,
  },
  {
    name: 'following',
    kind: 'community',
    title: 'Long Waves',
    description: 'Follows prices that have left their average of hours, long or short.',
    provider: 'Wave Rider',
    bases: ['BTC', 'ETH', 'SOL', 'DOGE', 'SUI', 'AVAX'],
    positionUsdc: 80_000,
    feeRate: (RATE_ONE * 2) / 10,
    investors: 9,
    days: 96,
    providerUsdc: 120_000,
    investorsUsdc: 700_000,
    dailyReturn: 0.0008,
    dailyVolatility: 0.015,
    dailyTurnover: 0.4,
    feeOfTurnover: 0.0001,
  },
]
