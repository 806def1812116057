/** A write that needs its account owner's approval. Amounts are USDC as decimal text. */
export type Approval = {
  readonly id: string
  /** Lower case. */
  readonly accountId: string
  /** SHA-256 of account, trading key, method, path and body. */
  readonly digest: string
  readonly method: string
  readonly path: string
  readonly body: string
  /** The write as readable text, one line per item. */
  readonly order: string
  /** The trading key of the request; null for a row from before this field. */
  readonly key: string | null
  /** The name that the requesting program gave itself, unverified; null without one. */
  readonly program: string | null
  /** The resulting position and leverage, one line each; null if the write changes neither. */
  readonly effects: string | null
  /** The value at the order's own price or the mark price; null if unknown. */
  readonly costUsdc: string | null
  /** The value at the worst price; null if unknown. */
  readonly worstUsdc: string | null
  readonly askedAtMs: number
  readonly decideUntilMs: number
  readonly state: 'waiting' | 'approved' | 'refused' | 'used' | 'expired'
  /** The time at which the owner decided; null before the decision. */
  readonly decidedAtMs: number | null
  /** The wallet's signature of an approval. */
  readonly signature: string | null
}

/** An owner's decision. */
export type Decision = {
  readonly state: 'approved' | 'refused'
  readonly decidedAtMs: number
  readonly signature: string | null
}

/** Approvals by account owners. Throws Failure `store_unavailable` like `Store`. */
export type ApprovalStore = {
  /**
   * Stores and returns a new approval. If an approval of the account with the same digest is in effect, returns that
   * approval and stores nothing. Null if the account already has the maximum number of approvals in effect. Durable
   * when the promise resolves.
   */
  readonly ask: (approval: Approval) => Promise<Approval | null>
  readonly find: (id: string) => Promise<Approval | null>
  /**
   * Records the decision on an approval that waits and is within its deadline; false for any other approval. Durable
   * when the promise resolves.
   */
  readonly decide: (id: string, decision: Decision) => Promise<boolean>
  /** Sets the state of an approval: `used`, `expired` before its time, or `approved` again after `used`. */
  readonly mark: (id: string, state: 'approved' | 'used' | 'expired') => Promise<void>
  /** The number of stored approvals per state. */
  readonly counts: () => Promise<readonly { readonly state: string; readonly count: number }[]>
}
