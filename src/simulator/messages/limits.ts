import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../core/ports.ts'

/** The leverage of a new account (`initial`), and the bounds of the leverage setting. */
export const LEVERAGE = { initial: 10, min: 1, max: 100 } as const

/** Limits of the exchange. Each name ends with its unit. */
export const EXCHANGE_LIMITS = {
  nonceLifeMs: 120_000,
  noncesMax: 10_000,
  signatureAgeMaxMs: 300_000,
  keysPerAccountMax: 200,
  /** Maximum number of keys, including expired and removed keys. */
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

/** Maximum life of a key. It is longer on a virtual clock. */
export function keyLifeMaxMs(clock: Clock, wallClock: Clock): number {
  return clock === wallClock ? LIMITS.keyLifeMaxMs : LIMITS.keyLifeVirtualMaxMs
}

/**
 * The time on both clocks. `nowMs` is the venue's time, which may be virtual; `wallMs` is real time. A signature may be
 * fresh on either clock.
 */
export type BothClocksTime = { readonly nowMs: number; readonly wallMs: number }

/**
 * The current time of the clock on which `atMs` is fresh. The venue's clock is tried first. Null if `atMs` is stale on
 * both clocks.
 */
export function freshClockMs(atMs: number, { nowMs, wallMs }: BothClocksTime): number | null {
  const isFresh = (clockMs: number) => Math.abs(clockMs - atMs) <= EXCHANGE_LIMITS.signatureAgeMaxMs
  if (isFresh(nowMs)) return nowMs
  return isFresh(wallMs) ? wallMs : null
}
