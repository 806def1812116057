import { DAY_MS } from '../../spec/durations.ts'
/** What the exchange charges, in basis points of an execution's notional. */
export const FEES = { takerBps: 6n, makerBps: 2n } as const

/** Leverage an account starts with, and the bounds of what it may set. */
export const LEVERAGE = { initial: 10, min: 1, max: 100 } as const

/** How many entries an account keeps of each history, by the kind they are stored under; the oldest goes first. */
export const HISTORY_MAX = {
  order: 1000,
  trade: 500,
  funding: 500,
  closed: 500,
  transfer: 500,
  day: 400,
} as const

/** Sizes, ages and counts of the exchange. The unit is the last word of each name. */
export const EXCHANGE_LIMITS = {
  nonceLifeMs: 120_000,
  noncesMax: 10_000,
  signatureAgeMaxMs: 300_000,
  keyLifeMaxMs: 365 * DAY_MS,
  keysPerAccountMax: 200,
  verifierKeysMax: 10_000,
  openOrdersMax: 500,
  batchOrdersMax: 10,
  clientOrderIdMaxChars: 36,
  orderTagMaxChars: 128,
  brokerIdMaxChars: 64,
  pageDefaultRows: 25,
  pageMaxRows: 500,
  /** Steps of the seeded market that one catch-up looks at, over all symbols with resting orders. */
  catchUpSteps: 3000,
  catchUpStepsPerSymbolMin: 24,
  /** Funding settlements of a position that are charged one by one; older ones are charged in one sum. */
  settlementsMax: 96,
} as const
