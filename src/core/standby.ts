/** An account and one of its keys. */
export type KeyPair = { readonly accountId: string; readonly publicKey: string }

/** A cancel that a caller has signed in advance: path with its query, signed time, signature. */
export type SignedCancel = {
  readonly path: string
  readonly timestamp: string
  readonly signature: string
}

/** What a caller has deposited: it is sent when the caller is silent until `dueAtMs`. */
export type Standby = KeyPair & {
  /** What may still be sent, the first first. */
  readonly cancels: readonly SignedCancel[]
  /** When the first of those that were deposited was signed: only a later one takes its place. */
  readonly signedAtMs: number
  readonly afterMs: number
  /** When it is sent; of one that is being sent, until when nobody else takes it. */
  readonly dueAtMs: number
  /** When the last of them is too old: no sign of life puts it off beyond. */
  readonly endsAtMs: number
  readonly state: 'armed' | 'sending' | 'cancelled' | 'withdrawn' | 'lapsed'
  readonly changedAtMs: number
  /** Why a lapsed one cancelled nothing, a code of the closed list; null for any other. */
  readonly failure: string | null
}

/** The outcome of a standby that was taken. */
export type StandbyChange = Omit<Standby, keyof KeyPair | 'signedAtMs' | 'afterMs' | 'endsAtMs'>

/** What callers have deposited. Throws Failure `store_unavailable`: nothing has changed then. */
export type StandbyStore = {
  /**
   * Arms one in place of the pair's. Answers false, and changes nothing, where the pair's is being sent, or was signed
   * as late. On the disk when its promise is kept.
   */
  readonly arm: (standby: Standby) => Promise<boolean>
  readonly find: (pair: KeyPair) => Promise<Standby | null>
  /** Ends an armed one; false where none is. On the disk when its promise is kept. */
  readonly withdraw: (pair: KeyPair, nowMs: number) => Promise<boolean>
  /** Puts off those that are armed, by their own time after each pair was seen. */
  readonly postpone: (pairs: readonly (KeyPair & { readonly atMs: number })[]) => Promise<void>
  /** How many there are in each state; those that ended, as long as they are remembered. */
  readonly counts: () => Promise<readonly { readonly state: string; readonly count: number }[]>
  /** Takes those that are due, or whose sender has not finished, until `untilMs`; nobody else gets them before. */
  readonly take: (nowMs: number, untilMs: number, rowsMax: number) => Promise<readonly Standby[]>
  /** Writes what became of one that was taken; false where its time was over and another has it. */
  readonly put: (taken: Standby, next: StandbyChange) => Promise<boolean>
}
