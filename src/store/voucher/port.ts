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

/** What a deposit pays on its destination. */
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
    readonly frozen: boolean
  }

export type AuditEvent = 'issued' | 'reissued' | 'frozen' | 'paused' | 'resumed'

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

export type AuditEntry = {
  readonly atMs: number
  readonly event: AuditEvent
  readonly row?: Pick<VoucherRow, 'depositKey' | 'generation' | 'digest' | 'signer'>
}

/** The vouchers, on a disk that has them before any call returns: a power cut loses nothing that was answered. */
export type VoucherStore = {
  /** Runs the steps as one transaction that excludes every other writer; a throw undoes them all. */
  readonly atomically: <T>(steps: () => T) => T
  readonly byKey: (depositKey: string) => VoucherRow | null
  /** In the order of their logs. */
  readonly byTransaction: (sourceChainId: number, txHash: string) => readonly VoucherRow[]
  /** What vouchers first issued after a moment pay of one token. */
  readonly paidSince: (destinationChainId: number, token: string, sinceMs: number) => bigint
  /** Writes a row in place of the one with its key. */
  readonly put: (row: VoucherRow) => void
  /** Adds the signature to the row that still has this digest. */
  readonly seal: (depositKey: string, digest: string, signature: string, nowMs: number) => void
  readonly freeze: (depositKey: string, nowMs: number) => void
  readonly record: (entry: AuditEntry) => void
  readonly isPaused: () => boolean
  /** The newest first. */
  readonly list: (rowsMax: number) => readonly VoucherRow[]
  /** The newest first; of one deposit, or of all. */
  readonly audit: (rowsMax: number, depositKey?: string) => readonly AuditRow[]
  readonly close: () => void
}
