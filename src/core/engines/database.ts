/** The identity of a database's history of commits, and its known extent. */
export type DatabaseState = DatabaseHistoryId &
  DatabaseMarks & {
    /** Whether this instance was admitted to the database: one that still judges it knows nothing of it. */
    readonly isAdmitted: boolean
    /** Whether the database goes on with the history that it had before. */
    readonly isContinued: boolean
    /** Whether each commit waits until every named standby has it, so that a promotion loses nothing. */
    readonly isSynchronous: boolean
    /** The witness under which this instance was admitted; '' before. */
    readonly witness: string
    /** Whether this instance holds a lease of that witness for this history. */
    readonly isLeased: boolean
  }

/** A history of commits. */
export type DatabaseHistoryId = {
  /** The id of the deployment: database, venue and broker. */
  readonly deployment: string
  /** The system identifier of the PostgreSQL cluster. */
  readonly cluster: string
  /** The timeline of that cluster, which rises whenever a standby is promoted. */
  readonly timeline: number
  /** The random id of the branch of that timeline: two standbys that are both promoted have the same timeline. */
  readonly branch: string
}

/** The highest numbers that are known to be committed. */
export type DatabaseMarks = {
  readonly claims: number
  readonly vouchers: number
  /** The highest timestamp ahead of the time that was sent without being published, in milliseconds since the epoch; 0 for none. */
  readonly signedMs: number
}

/** Why a database must not be written to. */
export type FenceReason = DatabaseRefusal | 'unconfirmed' | 'unwitnessed' | 'leased' | 'witness'
type DatabaseRefusal = 'timeline' | 'branch' | 'cluster' | 'deployment'

/** How the database of one instance compares with that of its peers. */
export type DatabaseVerdict =
  | { readonly refused: DatabaseRefusal }
  | {
      readonly refused: null
      /** Whether an instance that was admitted to this deployment had registered before. */
      readonly isKnown: boolean
      /** The highest marks that any instance knows. */
      readonly marks: DatabaseMarks
      /** The id of the registry's memory: it changes when the registry starts anew or is emptied. */
      readonly witness: string
      /** Whether this memory began with the newest history, and has not been the witness of a database before. */
      readonly isTrusted: boolean
      /** Until when other histories may have taken writes that are lost, by the registry's clock; 0 where none is known. */
      readonly lostUntilMs: number
      /** How long no lease is granted yet, in milliseconds; 0 where this verdict is a lease. */
      readonly opensInMs: number
      /** The registry's clock. */
      readonly nowMs: number
      /** The names of the instances that have registered with this memory. */
      readonly members: readonly string[]
    }

/** A claim whose timestamp lies ahead of the time. */
export type AheadClaim = {
  readonly identity: string
  readonly sinceMs: number
  readonly expiresAtMs: number
  readonly isSigned: boolean
}

/** The record of the database's state that instances share outside of the database. All throw EngineAway. */
export type DatabaseRegistry = {
  /** Adds this instance's state, unless its peers are ahead; renews the lease of its history. */
  readonly exchange: (state: DatabaseState) => Promise<DatabaseVerdict>
  /** Adds claims of a history. False where it is not the newest of this witness, or where too many are held. */
  readonly publish: (
    history: DatabaseHistoryId & Pick<DatabaseState, 'witness'>,
    claims: readonly AheadClaim[],
    share: PublishedShare,
  ) => Promise<boolean>
  /** The published claims with later timestamps. Throws EngineAway where the memory is another witness by now. */
  readonly published: (witness: string, sinceMs: number) => Promise<readonly AheadClaim[]>
}

/** Whose share published claims take. Those that only cancel or reduce are published beyond every bound. */
export type PublishedShare = { readonly owner: string; readonly isReducing: () => boolean }

/** How long an instance may write after a verdict, in milliseconds, by its own monotonic clock from before it asked. */
export const LEASE_MS = 3000

/** How long a registry waits for silent instances before it takes what others say, in milliseconds. */
export const CONFIRMED_MS = 5000

/** How long a deployment is remembered after its last confirmation, in milliseconds: longer than any claim lives. */
export const DEPLOYMENT_KEPT_MS = 600_000
