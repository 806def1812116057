import { DAY_MS, HOUR_MS } from '../../contract/durations.ts'
import { MICRO, RATE_ONE } from '../base/units.ts'

/** The terms of one strategy vault. Rates have eight decimals. */
export type VaultTerms = {
  /** A path from which the vault's id, its wallets and its random numbers follow. */
  readonly name: string
  readonly kind: 'protocol' | 'community'
  readonly title: string
  readonly description: string
  readonly provider: string
  readonly bases: readonly string[]
  /** The largest position in one market, in USDC. */
  readonly positionUsdc: number
  /** The share of the liquidity providers' gain above the high-water mark that the provider gets. */
  readonly feeRate: number
  /** Number of public liquidity providers. */
  readonly investors: number
  /** The age of the vault in days when the world begins. */
  readonly days: number
  /** The provider's first deposit in USDC. */
  readonly providerUsdc: number
  /** The first deposits of all public liquidity providers together, in USDC. */
  readonly investorsUsdc: number
  /** Mean gain per day, as a share of the vault's value. */
  readonly dailyReturn: number
  /** Volatility per day, as a share of the vault's value. */
  readonly dailyVolatility: number
  /** Volume per day, as a share of the vault's value. */
  readonly dailyTurnover: number
  /** Fees as a share of the volume. */
  readonly feeOfTurnover: number
}

/** Rules that hold for all vaults. */
export const VAULT_RULES = {
  periodMs: DAY_MS,
  /** How long the shares of a deposit are locked. */
  lockMs: 48 * HOUR_MS,
  depositMin: 10 * MICRO,
  /** Minimum withdrawal in micro-shares. */
  withdrawalMin: 10 * MICRO,
  /** The share of all main shares that one period can pay back at most. The wire publishes it. */
  gate: RATE_ONE / 10,
  /** The share of all strategy shares that the provider must keep. */
  providerSharesMin: RATE_ONE / 20,
  /** How long a nonce is valid. */
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
