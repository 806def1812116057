import { DAY_SECONDS } from './durations.ts'
import { type Lifetime, lifetime } from './limits.ts'

/** Sizes, ages and counts of the swap routes. The unit is the last word of each name. */
export const SWAP_LIMITS = {
  slippageMinBps: 1,
  slippageMaxBps: 2000,
  slippageDefaultBps: 50,
  searchMaxChars: 64,
  decimalsMax: 36,
  symbolMaxChars: 32,
  nameMaxChars: 64,
  urlMaxChars: 256,
  calldataMaxBytes: 64 * 1024,
  /** Fees, gas costs and steps of one quote. */
  quoteRowsMax: 32,
  /** Coins that a transaction takes besides the amount may be worth this, or a quarter of what is swapped. */
  costsFreeUsd: 20n,
  /** The same of its gas. */
  gasFreeUsd: 250n,
  gasLimitMax: 30_000_000n,
  gasPriceMaxWei: 10_000n * 10n ** 9n,
  chainsMax: 256,
  tokensPerChainMax: 20_000,
  quoteLifeMs: 60_000,
  durationMaxSeconds: 7 * DAY_SECONDS,
  quoteDeadlineMs: 15_000,
  listDeadlineMs: 20_000,
  statusDeadlineMs: 10_000,
  quoteBodyMaxBytes: 1024 * 1024,
  listBodyMaxBytes: 16 * 1024 * 1024,
  concurrentMax: 32,
  queuedMax: 128,
  retryPauseMs: 250,
  quotaPauseDefaultSeconds: 60,
  quotaPauseMaxSeconds: 7200,
} as const

/** List sizes of the tokens route. */
export const SWAP_TOKENS_CLAMP = { min: 1, max: 500, fallback: 100 } as const

/** How long each answer lives on this side; quotes and states are no-store to callers. */
export const SWAP_LIFETIMES = {
  chains: lifetime(3600, DAY_SECONDS),
  tokens: lifetime(3600, DAY_SECONDS),
  indicativeQuote: lifetime(10, 0),
  status: lifetime(3, 0),
  finalStatus: lifetime(3600, 0),
} as const satisfies Record<string, Lifetime>
