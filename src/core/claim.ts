import { LIMITS } from '../contract/limits.ts'
import type { Reservation, Used } from './spending.ts'

/** An identity, such as that of a signed write, that can be claimed once. */
export type Claim = {
  readonly identity: string
  /** The earliest time of a previous claim, such as the signature's timestamp. */
  readonly sinceMs: number
  readonly expiresAtMs: number
  /** Whether the identity determines the expiry, as the timestamp of a signed text does. Such a claim has no record. */
  readonly isSigned?: boolean
  /** Whether the claim is allowed although an earlier one may be lost: cancelling twice is idempotent. */
  readonly isRepeatable?: boolean
  /** The owner whose share of the held claims it uses, such as an account. Absent: it counts towards no share. */
  readonly owner?: string
  /** Whether the write only cancels or reduces: such a claim is held beyond every bound. Called only at a bound. */
  readonly isReducing?: () => boolean
  /** Text stored with the claim, without secrets. Absent means null. */
  readonly record?: string | null
}

/** When the claim of a write ends, by its signing time: the venue then refuses the write even by a slow clock. */
export function claimEndMs(signedAtMs: number): number {
  return signedAtMs + LIMITS.signatureAgeMaxMs + LIMITS.claimMarginMs
}

/** A write with a stored outcome. */
export type KeptWrite = {
  readonly identity: string
  /** The bytes of the signature. Only its holder may read the outcome. */
  readonly signature: Uint8Array
  readonly expiresAtMs: number
}

/** A claimed write's use of limits, reserved in the same commit as the claim. */
export type ClaimedUse = {
  readonly reservation: Reservation
  /** Additional identities that are claimed in the same commit. */
  readonly ids: readonly Claim[]
  /**
   * The refusal of the write, from the used limits and whether one of the additional identities is claimed; null if it
   * may be sent.
   */
  readonly refusal: (used: Used, isTaken: boolean) => Error | null
  /** The wall time from which `unseen` of the used limits counts. */
  readonly unseenSinceMs: number
}

/** A stored claim. */
export type MadeClaim = { readonly expiresAtMs: number; readonly record: string | null }

/** Identities that can each be claimed once. Throws Failure `store_unavailable`. */
export type ClaimStore = {
  /**
   * Claims an identity until it expires. False if it is claimed already, or if claims since `sinceMs` may be lost. The
   * claim and its use of limits are durable before the promise resolves. Throws the refusal of the use; then nothing is
   * claimed or reserved.
   */
  readonly claim: (claim: Claim, nowMs: number, use?: ClaimedUse) => Promise<boolean>
  /** Deletes a claim, its reservation and additional claims. If that fails they stay until they expire. */
  readonly release: (identity: string, ids?: readonly Claim[]) => Promise<void>
  /** The claims, newest first. */
  readonly list: (rowsMax: number) => Promise<{
    readonly count: number
    readonly rows: readonly Pick<Claim, 'identity' | 'expiresAtMs'>[]
  }>
  /** The claim of an identity; null without one. */
  readonly find: (identity: string) => Promise<MadeClaim | null>
  /** Replaces the record of a claim, from any instance. If that fails the previous record stays. */
  readonly settle: (identity: string, record: string) => Promise<void>
}

/** A claim and the additional claims of the same commit. */
export function claimsWith(claim: Claim, use?: Pick<ClaimedUse, 'ids'>): readonly Claim[] {
  return [claim, ...(use?.ids ?? [])]
}
