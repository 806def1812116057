import { LIMITS } from '../contract/limits.ts'
import type { Reservation, Used } from './spending.ts'

/** An identity, such as that of a signed write, that can be claimed once. */
export type Claim = {
  readonly identity: string
  /** The earliest time at which it can have been claimed before, such as its signature's timestamp. */
  readonly sinceMs: number
  readonly expiresAtMs: number
  /** Whether the identity fixes the expiry, as a signed text does by its timestamp. It has no record then. */
  readonly isSigned?: boolean
  /** Whether it may be made although one of before may be lost: to cancel twice is to cancel. */
  readonly isRepeatable?: boolean
  /** Whose share of what is held it takes, such as an account. Absent takes none. */
  readonly owner?: string
  /** Whether the write only cancels or reduces: it is held beyond every bound. Asked where a bound is reached. */
  readonly isReducing?: () => boolean
  /** Text stored with the claim, without secrets. Absent means null. */
  readonly record?: string | null
}

/** When the claim of a write ends that was signed at a time: the venue takes it no more, even by a clock that is behind. */
export function claimEndMs(signedAtMs: number): number {
  return signedAtMs + LIMITS.signatureAgeMaxMs + LIMITS.claimMarginMs
}

/** A write of which an outcome is kept. */
export type KeptWrite = {
  readonly identity: string
  /** The bytes of its signature: whoever has them may read what is kept. */
  readonly signature: Uint8Array
  readonly expiresAtMs: number
}

/** The use of limits by a claimed write, reserved in the commit of its claim. */
export type ClaimedUse = {
  readonly reservation: Reservation
  /** Further identities that are claimed in the same commit. */
  readonly ids: readonly Claim[]
  /** Why the write may not go, from what is used and whether one of the further identities is claimed; null where it may. */
  readonly refusal: (used: Used, isTaken: boolean) => Error | null
  /** The wall time that `unseen` of what is used is about. */
  readonly unseenSinceMs: number
}

/** A claim as it is stored. */
export type MadeClaim = { readonly expiresAtMs: number; readonly record: string | null }

/** Identities that can each be claimed once. Throws Failure `store_unavailable`. */
export type ClaimStore = {
  /**
   * Claims an identity until it expires. False when it is claimed already, or when claims may have been lost since
   * `sinceMs`. The claim is on the disk before the promise resolves, with what it uses. Throws the refusal of the use:
   * nothing is claimed or reserved then.
   */
  readonly claim: (claim: Claim, nowMs: number, use?: ClaimedUse) => Promise<boolean>
  /** Deletes a claim and what is reserved for it, with further claims. When that fails they stay until they expire. */
  readonly release: (identity: string, ids?: readonly Claim[]) => Promise<void>
  /** The claims, newest first. */
  readonly list: (rowsMax: number) => Promise<{
    readonly count: number
    readonly rows: readonly Pick<Claim, 'identity' | 'expiresAtMs'>[]
  }>
  /** The claim of an identity; null without one. */
  readonly find: (identity: string) => Promise<MadeClaim | null>
  /** Replaces the record of a claim, from any instance. When that fails the previous record stays. */
  readonly settle: (identity: string, record: string) => Promise<void>
}

/** A claim and those that are made in the same commit. */
export function claimsWith(claim: Claim, use?: Pick<ClaimedUse, 'ids'>): readonly Claim[] {
  return [claim, ...(use?.ids ?? [])]
}
