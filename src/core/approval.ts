/** A write that goes only with the approval of the owner of its account. Amounts are USDC as decimal text. */
export type Approval = {
  readonly id: string
  /** Lower case. */
  readonly accountId: string
  /** SHA-256 of account, trading key, method, path and body. */
  readonly digest: string
  readonly method: string
  readonly path: string
  readonly body: string
  /** The write in words, one line each. */
  readonly order: string
  /** The trading key that asked; null for one of before it was kept. */
  readonly key: string | null
  /** What the program that asked calls itself, which nothing proves; null where it says nothing. */
  readonly program: string | null
  /** What position and leverage become, one line each; null where the write changes neither. */
  readonly effects: string | null
  /** Its value at its own price or the mark price; null where that is not known. */
  readonly costUsdc: string | null
  /** Its value at the worst price; null where that is not known. */
  readonly worstUsdc: string | null
  readonly askedAtMs: number
  readonly decideUntilMs: number
  readonly state: 'waiting' | 'approved' | 'refused' | 'used' | 'expired'
  /** When the owner decided; null before that. */
  readonly decidedAtMs: number | null
  /** The wallet's signature of an approval. */
  readonly signature: string | null
}

/** What an owner has decided. */
export type Decision = {
  readonly state: 'approved' | 'refused'
  readonly decidedAtMs: number
  readonly signature: string | null
}

/** Writes that wait for the owners of their accounts. Throws Failure `store_unavailable`: nothing has changed then. */
export type ApprovalStore = {
  /**
   * The account's approval of the same digest that waits, is refused or may be used at the time of a new one; otherwise
   * stores the new one and answers it. Null where too many of the account wait. On the disk when its promise is kept.
   */
  readonly ask: (approval: Approval) => Promise<Approval | null>
  readonly find: (id: string) => Promise<Approval | null>
  /** Decides one that waits, within its time; false for any other. On the disk when its promise is kept. */
  readonly decide: (id: string, decision: Decision) => Promise<boolean>
  /** Says that an approved one was used, or has expired before its time; or that it was not used after all. */
  readonly mark: (id: string, state: 'approved' | 'used' | 'expired') => Promise<void>
  /** How many there are in each state, as long as they are known. */
  readonly counts: () => Promise<readonly { readonly state: string; readonly count: number }[]>
}
