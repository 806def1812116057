import { LIMITS } from '../contract/limits.ts'
import type { Reservation, ReservedUse } from './spending.ts'

/** An identity, such as that of a signed write, that can be claimed once. */
export type Claim = {
  readonly identity: string
  /** The earliest time at which the identity can have been claimed before, such as the signature's timestamp. */
  readonly sinceMs: number
  readonly expiresAtMs: number
  /** Whether the expiry follows from the identity, as for a signed text with its timestamp. Such a claim has no record. */
  readonly isSigned?: boolean
  /** Whether the claim is allowed although an earlier one may be lost, because the write is idempotent (a cancel). */
  readonly isRepeatable?: boolean
  /** The owner, such as an account, to whose share of the held claims this claim counts. Absent: no share applies. */
  readonly owner?: string
  /** Whether the write only cancels or reduces; such a claim is held beyond every bound. Called only at a bound. */
  readonly isReducing?: () => boolean
  /** Text stored with the claim, without secrets. Absent means null. */
  readonly record?: string | null
}

/**
 * The Unix ms at which a write's claim ends. From then on the venue refuses the write's signature, even if a clock is
 * slow.
 */
export function claimEndMs(signedAtMs: number): number {
  return signedAtMs + LIMITS.signatureAgeMaxMs + LIMITS.claimMarginMs
}

/** A write with a stored outcome. */
export type StoredWrite = {
  readonly identity: string
  /** The bytes of the signature. Only a caller that has the signature may read the outcome. */
  readonly signature: Uint8Array
  readonly expiresAtMs: number
}

/** A write's reserved use of its limits. The reservation is in the same commit as the write's claim. */
export type ClaimedUse = {
  readonly reservation: Reservation
  /** Additional identities that are claimed in the same commit. */
  readonly ids: readonly Claim[]
  /**
   * Returns the refusal of the write; null if the write may be sent. `isTaken`: an additional identity is already
   * claimed.
   */
  readonly refusal: (used: ReservedUse, isTaken: boolean) => Error | null
  /** The wall-clock time from which `unseen` of `ReservedUse` counts writes. */
  readonly unseenSinceMs: number
}

/** A stored claim. */
export type StoredClaim = { readonly expiresAtMs: number; readonly record: string | null }

/** Identities that can each be claimed once. Throws Failure `store_unavailable`. */
export type ClaimStore = {
  /**
   * Claims an identity until it expires. False if it is claimed already, or if claims since `sinceMs` may be lost. The
   * claim and its use of limits are durable when the promise resolves. If the limits refuse the write, throws that
   * refusal and claims nothing.
   */
  readonly claim: (claim: Claim, nowMs: number, use?: ClaimedUse) => Promise<boolean>
  /** Deletes a claim, its reservation and additional claims. Records whose deletion fails stay until they expire. */
  readonly release: (identity: string, ids?: readonly Claim[]) => Promise<void>
  /** The claims, newest first. */
  readonly list: (rowsMax: number) => Promise<{
    readonly count: number
    readonly rows: readonly Pick<Claim, 'identity' | 'expiresAtMs'>[]
  }>
  /** The claim of an identity; null without one. */
  readonly find: (identity: string) => Promise<StoredClaim | null>
  /** Replaces the record of a claim, from any instance. If this fails, the previous record stays. */
  readonly settle: (identity: string, record: string) => Promise<void>
}

/** All claims of a commit: a write's claim, then the additional claims. */
export function claimsInCommit(claim: Claim, use?: Pick<ClaimedUse, 'ids'>): readonly Claim[] {
  return [claim, ...(use?.ids ?? [])]
}
