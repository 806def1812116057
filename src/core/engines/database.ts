/** Which history of commits a database continues, and how far that history is known to go. */
export type DatabaseState = {
  /** What the instances of one deployment have in common: the database's own id, the venue and the broker. */
  readonly deployment: string
  /** The cluster, by the identifier that it was made with. */
  readonly cluster: string
  /** The timeline of that cluster, which rises whenever a standby is promoted. */
  readonly timeline: number
} & DatabaseMarks

/** The highest numbers that are known to be committed. */
export type DatabaseMarks = {
  readonly claims: number
  readonly vouchers: number
  /** The highest timestamp of a claim, which may lie ahead of the time, in milliseconds since the epoch; 0 where unknown. */
  readonly signedMs: number
}

/** Why a database must not be written to. */
export type FenceReason = 'timeline' | 'cluster' | 'deployment' | 'unconfirmed'

/** How the database of one instance compares with that of its peers. */
export type DatabaseVerdict =
  | { readonly refused: Exclude<FenceReason, 'unconfirmed'> }
  | {
      readonly refused: null
      /** The highest marks that any instance knows. */
      readonly marks: DatabaseMarks
      /** How long peers may still write to the timeline before this one, in milliseconds. */
      readonly predecessorLeftMs: number
    }

/** What all instances remember of their database, outside of it. */
export type DatabaseRegistry = {
  /** Adds what this instance knows, unless its peers are ahead. Throws where the registry cannot be asked. */
  readonly exchange: (state: DatabaseState) => Promise<DatabaseVerdict>
}

/** How long a database counts as confirmed, in milliseconds: peers wait as long before they write to its successor. */
export const CONFIRMED_MS = 5000

/** How long a deployment is remembered after its last confirmation, in milliseconds: longer than any claim lives. */
export const DEPLOYMENT_KEPT_MS = 600_000
