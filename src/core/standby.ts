/** An account and one of its keys. */
export type AccountKey = { readonly accountId: string; readonly publicKey: string }

/** A cancel that a caller has signed in advance: path with its query, signed time, signature. */
export type SignedCancel = {
  readonly path: string
  readonly timestamp: string
  readonly signature: string
}

/** The cancels that a caller has deposited. They are sent unless the caller gives a sign of life before `dueAtMs`. */
export type Standby = AccountKey & {
  /** The cancels that may still be sent, in order. */
  readonly cancels: readonly SignedCancel[]
  /**
   * The time at which the first deposited cancel was signed. Only a standby with a later time replaces this standby.
   */
  readonly signedAtMs: number
  readonly afterMs: number
  /** The time at which the cancels are sent. While they are being sent, the end of the sender's lease. */
  readonly dueAtMs: number
  /** The time at which the last cancel becomes too old. A sign of life postpones sending at most until this time. */
  readonly endsAtMs: number
  readonly state: 'armed' | 'sending' | 'cancelled' | 'withdrawn' | 'lapsed'
  readonly changedAtMs: number
  /** The failure code that explains why a lapsed standby cancelled nothing; null in other states. */
  readonly failure: string | null
}

/** The new state of a standby that was leased. */
export type StandbyChange = Omit<Standby, keyof AccountKey | 'signedAtMs' | 'afterMs' | 'endsAtMs'>

/** Deposited cancels. Throws Failure `store_unavailable` like `Store`. */
export type StandbyStore = {
  /**
   * Replaces the pair's standby. Returns false and changes nothing if the stored standby is being sent, or if its
   * signature is as new or newer. Durable when the promise resolves.
   */
  readonly arm: (standby: Standby) => Promise<boolean>
  readonly find: (pair: AccountKey) => Promise<Standby | null>
  /** Ends an armed standby; false without one. Durable when the promise resolves. */
  readonly withdraw: (pair: AccountKey, nowMs: number) => Promise<boolean>
  /** Postpones armed standbys: each becomes due when its delay has passed since the pair was last seen. */
  readonly postpone: (pairs: readonly (AccountKey & { readonly atMs: number })[]) => Promise<void>
  /** The number of stored standbys per state. Ended standbys count until they are deleted. */
  readonly counts: () => Promise<readonly { readonly state: string; readonly count: number }[]>
  /**
   * Leases standbys until `untilMs`: those that are due, and those with an expired lease. Until that time, no other
   * instance can lease these standbys.
   */
  readonly take: (nowMs: number, untilMs: number, rowsMax: number) => Promise<readonly Standby[]>
  /** Stores the outcome of a leased standby; false if the lease has expired and another instance holds it. */
  readonly put: (taken: Standby, next: StandbyChange) => Promise<boolean>
}
