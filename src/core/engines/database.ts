/** The state of a database that an instance reports: its commit history and its highest known commits. */
export type DatabaseState = DatabaseHistoryId &
  DatabaseMarks & {
    /**
     * Whether this instance was admitted to the database; before its admission, an instance has not read the contents.
     */
    readonly isAdmitted: boolean
    /**
     * Whether this instance is being admitted. Only while it is being admitted may its history replace another history.
     */
    readonly isJoining: boolean
    /** Whether the database continues its previous history. */
    readonly isContinued: boolean
    /** Whether each commit waits for every named standby, so that a promotion loses no commits. */
    readonly isSynchronous: boolean
    /** The id of the witness that admitted this instance; '' before the admission. */
    readonly witness: string
    /** Whether this instance holds a lease of `witness` for this history. */
    readonly isLeased: boolean
  }

/** The identity of a database's commit history. */
export type DatabaseHistoryId = {
  /** The id of the deployment: database, venue and broker. */
  readonly deployment: string
  /** The system identifier of the PostgreSQL cluster. */
  readonly cluster: string
  /** The cluster's timeline. It increases with each promotion of a standby. */
  readonly timeline: number
  /** The random id of the timeline's branch, because two promoted standbys can have the same timeline. */
  readonly branch: string
}

/** The highest sequence numbers known to be committed. */
export type DatabaseMarks = {
  readonly claims: number
  readonly vouchers: number
  /** The highest future timestamp (Unix ms) of a write that was sent without publishing its claim; 0 without one. */
  readonly signedMs: number
}

/** The reason why a database must not be written to. */
export type FenceReason = DatabaseRefusal | 'unconfirmed' | 'unwitnessed' | 'leased' | 'witness'
type DatabaseRefusal = 'timeline' | 'branch' | 'cluster' | 'deployment'

/** The result of comparing one instance's database with those of its peers. */
export type DatabaseVerdict =
  | { readonly refused: DatabaseRefusal }
  | {
      readonly refused: null
      /** Whether an admitted instance of this deployment had registered before. */
      readonly isKnown: boolean
      /** The highest marks known to any instance. */
      readonly marks: DatabaseMarks
      /** The id of the registry's memory. It changes when the registry restarts or is emptied. */
      readonly witness: string
      /** Whether the registry's memory starts with the newest history. */
      readonly isSound: boolean
      /** Whether the registry's memory has already been a database's witness. */
      readonly isUsed: boolean
      /**
       * Time (registry's clock) until which other histories may have accepted writes that this history lost. 0: the
       * time is unknown. NOTHING_LOST_MS: this history has all of their writes.
       */
      readonly lostUntilMs: number
      /** Time until a lease can be granted, in milliseconds; 0 if this verdict grants one. */
      readonly opensInMs: number
      /** The end of the latest lease ever granted, by the registry's clock; 0 without one. */
      readonly leaseEndMs: number
      /** The registry's clock. */
      readonly nowMs: number
      /** The names of the instances that have registered since the registry's memory began. */
      readonly members: readonly string[]
    }

/** A claim with a future timestamp. */
export type AheadClaim = {
  readonly identity: string
  readonly sinceMs: number
  readonly expiresAtMs: number
  readonly isSigned: boolean
}

/** The record of a database's state, which instances share outside the database. All functions throw EngineAway. */
export type DatabaseRegistry = {
  /** The name by which this instance registers. */
  readonly instance: string
  /** Records this instance's state, unless its peers are ahead, and renews the lease of its history. */
  readonly exchange: (state: DatabaseState) => Promise<DatabaseVerdict>
  /** Publishes claims of a history. False if the witness knows a newer history, or holds too many claims. */
  readonly publish: (
    history: DatabaseHistoryId & Pick<DatabaseState, 'witness'>,
    claims: readonly AheadClaim[],
    share: PublishedShare,
  ) => Promise<boolean>
  /** The published claims with timestamps after `sinceMs`. Throws EngineAway if the registry has a different witness now. */
  readonly published: (witness: string, sinceMs: number) => Promise<readonly AheadClaim[]>
}

/**
 * The owner to whose share published claims count. Claims that only cancel or reduce are published beyond every bound.
 */
export type PublishedShare = { readonly owner: string; readonly isReducing: () => boolean }

/**
 * How long an instance may write after a verdict, measured from the request for the verdict by the instance's own
 * monotonic clock.
 */
export const LEASE_MS = 3000

/** The `lostUntilMs` of a history that has every write of its predecessors. */
export const NOTHING_LOST_MS = 1

/** How long a registry waits for silent instances before it accepts a different history. */
export const SILENT_INSTANCE_WAIT_MS = 5000

/** How long a deployment is remembered after its last confirmation; longer than the lifetime of any claim. */
export const DEPLOYMENT_KEPT_MS = 600_000
