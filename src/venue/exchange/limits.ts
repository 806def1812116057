import { DAY_MS } from '../../spec/durations.ts'

/** Leverage an account starts with, and the bounds of what it may set. */
export const LEVERAGE = { initial: 10, min: 1, max: 100 } as const

/** Sizes, ages and counts of the exchange. The unit is the last word of each name. */
export const EXCHANGE_LIMITS = {
  nonceLifeMs: 120_000,
  noncesMax: 10_000,
  signatureAgeMaxMs: 300_000,
  keyLifeMaxMs: 365 * DAY_MS,
  keysPerAccountMax: 200,
  /** Those that have expired or were removed counted in. */
  keysKnownMax: 2000,
  verifierKeysMax: 10_000,
  subAccountsMax: 10,
  descriptionMaxChars: 128,
  transferReceiversMax: 50,
  notificationIdsMax: 500,
  batchOrdersMax: 10,
  clientOrderIdMaxChars: 36,
  orderTagMaxChars: 128,
  brokerIdMaxChars: 64,
  pageDefaultRows: 25,
  pageMaxRows: 500,
} as const
