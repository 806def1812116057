import type { SignerAgreement, SigningPeer } from './signers.ts'

/** What a vault said about one deposit, and where. Addresses and hashes in lower case. */
export type DepositFacts = {
  readonly sourceChainId: number
  readonly sourceVault: string
  readonly depositId: bigint
  readonly txHash: string
  readonly logIndex: number
  /** How many deposits the same transaction holds. */
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

/** One deposit's voucher. `signature` is null between the writing of a row and the use of the key. */
export type VoucherRow = DepositFacts &
  PayoutTerms & {
    readonly depositKey: string
    /** 1 at first; one more whenever the voucher is issued again after its end or for another signer. */
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
    /** No voucher is signed, and none lasts, after this second; null in rows that an earlier prepd wrote. */
    readonly payableUntil: number | null
    /** Why nothing is signed or answered; null when nothing stands in the way. */
    readonly hold: HoldReason | null
    /** The operator has seen that no voucher was redeemed, and none can be: what is signed next is as if the first. */
    readonly released: boolean
  }

/** Why a deposit is held: the chain no longer says of it what it said before. */
export type HoldReason = 'facts changed'

/** `frozen` is what an earlier prepd wrote for `held`; `lost` is an earlier copy of the store that was put back. */
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

/** One line of the record that is only ever added to. */
export type AuditRow = {
  readonly id: number
  readonly atMs: number
  readonly event: AuditEvent
  readonly depositKey: string | null
  readonly generation: number | null
  readonly digest: string | null
  readonly signer: string | null
}

/** What is recorded, of a deposit or of all. */
export type AuditEntry = {
  readonly atMs: number
  readonly event: AuditEvent
  readonly row?: Pick<VoucherRow, 'depositKey' | 'generation' | 'digest' | 'signer'>
}

/** A token that vouchers pay, by its chain and its address in lower case. */
export type PaidToken = Pick<VoucherRow, 'destinationChainId' | 'token'>

export type VoucherCounts = { readonly rows: number; readonly held: number }

/** What is kept of vouchers, and asked of whoever keeps them: maybe another machine, which all instances share. */
export type VoucherBooks = {
  readonly byKey: (depositKey: string) => Promise<VoucherRow | null>
  /** In the order of their logs. */
  readonly byTransaction: (sourceChainId: number, txHash: string) => Promise<readonly VoucherRow[]>
  /** What the vouchers pay of one token that can or could be redeemed in or after a second, but for one deposit's. */
  readonly redeemableSince: (
    paid: PaidToken,
    sinceSeconds: number,
    exceptKey?: string,
  ) => Promise<bigint>
  /** Writes a row in place of the one with its key. */
  readonly put: (row: VoucherRow) => Promise<void>
  /** Adds the signature to the row that still has this digest, and none yet. */
  readonly putSignature: (
    depositKey: string,
    digest: string,
    signature: string,
    nowMs: number,
  ) => Promise<void>
  readonly hold: (depositKey: string, reason: HoldReason, nowMs: number) => Promise<void>
  /** Ends a hold; `anew` marks the row as one whose next voucher is as if the first. */
  readonly release: (depositKey: string, anew: boolean, nowMs: number) => Promise<void>
  readonly record: (entry: AuditEntry) => Promise<void>
  readonly isPaused: () => Promise<boolean>
  /**
   * Whether a voucher was ever issued from here, or the operator has said that none was issued from elsewhere. False
   * after entries were lost, until the operator says so again.
   */
  readonly isAdopted: () => Promise<boolean>
  readonly count: () => Promise<VoucherCounts>
  /** The newest first. */
  readonly list: (rowsMax: number) => Promise<readonly VoucherRow[]>
  /** The newest first; of one deposit, or of all. */
  readonly audit: (rowsMax: number, depositKey?: string | null) => Promise<readonly AuditRow[]>
}

/** The books, and how several entries are made as one. Throws Failure `store_unavailable`: nothing has changed then. */
export type VoucherStore = VoucherBooks & {
  /**
   * Runs the steps on books of their own, as one transaction; a throw undoes them all. Two with a subject in common run
   * one after the other, and one without any runs alone.
   */
  readonly atomically: <T>(
    subjects: readonly string[],
    steps: (books: VoucherBooks) => Promise<T>,
  ) => Promise<T>
  /**
   * Says that this instance lives and has the keys of these addresses, the one to sign with first. Answers which one may
   * sign beside the living instances; where none may, this instance is not registered.
   */
  readonly registerSigner: (own: readonly string[]) => Promise<SignerAgreement>
  /** The living instances that sign, this one among them; none where the store belongs to one process. */
  readonly signingPeers: () => Promise<readonly SigningPeer[]>
  /** Says that this instance signs no more. */
  readonly leaveSigners: () => Promise<void>
  readonly close: () => void
}
