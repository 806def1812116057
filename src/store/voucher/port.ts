import type { SignerAgreement, SigningPeer } from './signers.ts'

/** The facts of a vault's deposit event and its location. Addresses and hashes in lower case. */
export type DepositFacts = {
  readonly sourceChainId: number
  readonly sourceVault: string
  readonly depositId: bigint
  readonly txHash: string
  readonly logIndex: number
  /** The number of deposits in the deposit's transaction. */
  readonly txDeposits: number
  readonly blockNumber: bigint
  readonly blockHash: string
  readonly depositor: string
  readonly sourceToken: string
  readonly sourceAmount: bigint
  readonly recipient: string
  readonly destinationChainId: number
}

/** The payout of a deposit on its destination. */
export type PayoutTerms = {
  readonly redeemer: string
  readonly token: string
  readonly amount: bigint
}

/** One deposit's voucher. `signature` is null between writing the row and signing. */
export type VoucherRow = DepositFacts &
  PayoutTerms & {
    readonly depositKey: string
    /** 1 at first; incremented when the voucher is reissued after its expiry or for a different signer. */
    readonly generation: number
    /** Seconds since the epoch, on the destination's clock. */
    readonly validUntil: number
    readonly digest: string
    readonly signature: string | null
    readonly signer: string
    readonly createdAtMs: number
    readonly updatedAtMs: number
    /** The last second in which any voucher signed for the deposit can be redeemed, whatever its generation. */
    readonly redeemableUntil: number
    /**
     * The last second in which the voucher may be signed, and its latest expiry; null in rows of an earlier version.
     */
    readonly payableUntil: number | null
    /** Why signing and answering are blocked; null if allowed. */
    readonly hold: HoldReason | null
    /**
     * The operator has confirmed that vouchers neither were nor can be redeemed. The next voucher counts as the first.
     */
    readonly released: boolean
  }

/** Why a deposit is held: the chain now reports different facts. */
export type HoldReason = 'facts changed'

/**
 * `frozen` is the name of `held` in an earlier version. `lost`: an older copy of the store was restored. `complete`: the
 * operator has confirmed that the store lacks no voucher.
 */
export type AuditEvent =
  | 'issued'
  | 'reissued'
  | 'held'
  | 'released'
  | 'frozen'
  | 'paused'
  | 'resumed'
  | 'adopted'
  | 'lost'
  | 'complete'

/** One row of the append-only audit log. */
export type AuditRow = {
  readonly id: number
  readonly atMs: number
  readonly event: AuditEvent
  readonly depositKey: string | null
  readonly generation: number | null
  readonly digest: string | null
  readonly signer: string | null
}

/** An entry to record, about a deposit or about all. */
export type AuditEntry = {
  readonly atMs: number
  readonly event: AuditEvent
  readonly row?: Pick<VoucherRow, 'depositKey' | 'generation' | 'digest' | 'signer'>
}

/** A token that vouchers pay, by its chain and lower-case address. */
export type PaidToken = Pick<VoucherRow, 'destinationChainId' | 'token'>

export type VoucherCounts = { readonly rows: number; readonly held: number }

/** Records of vouchers, possibly on a different machine that all instances share. */
export type VoucherBooks = {
  readonly byKey: (depositKey: string) => Promise<VoucherRow | null>
  /** The vouchers of a transaction's deposits, in the order of the log entries on the chain. */
  readonly byTransaction: (sourceChainId: number, txHash: string) => Promise<readonly VoucherRow[]>
  /** Total amount of one token in vouchers that are redeemable at or after a time (epoch seconds), excluding one deposit. */
  readonly redeemableSince: (
    paid: PaidToken,
    sinceSeconds: number,
    exceptKey?: string,
  ) => Promise<bigint>
  /** Inserts a row. It replaces a row with the same key. */
  readonly put: (row: VoucherRow) => Promise<void>
  /** Adds the signature if the row still has this digest and no signature. */
  readonly putSignature: (
    depositKey: string,
    digest: string,
    signature: string,
    nowMs: number,
  ) => Promise<void>
  readonly hold: (depositKey: string, reason: HoldReason, nowMs: number) => Promise<void>
  /** Ends a hold. With `anew`, the deposit's next voucher counts as its first. */
  readonly release: (depositKey: string, anew: boolean, nowMs: number) => Promise<void>
  readonly record: (entry: AuditEntry) => Promise<void>
  readonly isPaused: () => Promise<boolean>
  /**
   * Whether this store has issued a voucher, or the operator has confirmed that no other store has issued one. False
   * after a loss of entries, until the operator confirms again.
   */
  readonly isAdopted: () => Promise<boolean>
  /**
   * Whether the last loss of entries was noticed at or after a time, unless the operator has confirmed since then that no
   * voucher is missing.
   */
  readonly hasLostSince: (sinceMs: number) => Promise<boolean>
  readonly count: () => Promise<VoucherCounts>
  /** Newest first. */
  readonly list: (rowsMax: number) => Promise<readonly VoucherRow[]>
  /** Entries of one deposit, or of all deposits. Newest first. */
  readonly audit: (rowsMax: number, depositKey?: string | null) => Promise<readonly AuditRow[]>
}

/**
 * The books with transactions. A call that throws Failure `store_unavailable` has changed nothing. Exception: if the
 * disk fails after a commit, the changes may remain. The next transaction first makes these changes durable.
 */
export type VoucherStore = VoucherBooks & {
  /**
   * Runs the steps as one transaction on separate books; an error rolls them back. Transactions of all instances run
   * one after the other. `isSigned` says whether a result leads to a signature, so that every later copy of the store
   * has to know the voucher. Without `isSigned`, every result counts as signed.
   */
  readonly atomically: <T>(
    steps: (books: VoucherBooks) => Promise<T>,
    isSigned?: (result: T) => boolean,
  ) => Promise<T>
  /**
   * Registers this instance as alive, with the addresses of its keys, preferred one first. Returns the address that may
   * sign together with the living instances; without one, the instance is not registered.
   */
  readonly registerSigner: (own: readonly string[]) => Promise<SignerAgreement>
  /** The living instances that sign, including this one; empty if the store belongs to one process. */
  readonly signingPeers: () => Promise<readonly SigningPeer[]>
  /** Removes this instance's registration. */
  readonly leaveSigners: () => Promise<void>
  readonly close: () => void
}
