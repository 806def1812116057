import type { DepositEvent } from '../../contract/voucher.ts'

/** The payout of one source token on one destination, in the paid token's units. */
export type Payout = {
  readonly redeemer: string
  readonly token: string
  readonly mul: bigint
  readonly div: bigint
  readonly max: bigint
}

/** A chain on which deposits are made. Addresses and hashes in lower case. */
export type SourceChain = {
  readonly chainId: number
  readonly rpcs: readonly URL[]
  readonly quorum: number
  readonly vault: string
  /** Deposits in blocks before it are never paid. */
  readonly startBlock: bigint
  /**
   * How long after its block a deposit can be paid. After that time vouchers are not signed, and every voucher ends by
   * then.
   */
  readonly payableSeconds: number
  readonly event: DepositEvent
  /** The block tag that is final, or how many blocks deep a block is final. */
  readonly finality: 'finalized' | 'safe' | number
  readonly checkpoint: { readonly block: number; readonly hash: string } | null
  /** The destination of deposits whose event does not state one. */
  readonly destinationChainId: number | null
  /** Token addresses by the Keccak-256 of their symbol, for the event that states only that hash. */
  readonly symbols: ReadonlyMap<string, string>
  /** By `payoutKey`. */
  readonly payouts: ReadonlyMap<string, Payout>
}

/** A key that vouchers are signed with on another machine. */
export type RemoteKey = {
  /** Where the signer's interface begins. */
  readonly url: URL
  /** `0x` and 128 hex characters in lower case. */
  readonly publicKey: string
  /** Of the public key, in lower case. */
  readonly address: string
  /** Paths of the certificate that this side shows, its key, and the authority of the other side; null without TLS. */
  readonly files: {
    readonly certificate: string
    readonly key: string
    /** Null for the authorities that the system trusts. */
    readonly ca: string | null
  } | null
}

export type VoucherConfig = {
  readonly chains: ReadonlyMap<number, SourceChain>
  /** The largest amount that can be redeemed in 24 hours, by `payoutKey` of the paid token and its chain. */
  readonly caps: ReadonlyMap<string, bigint>
  readonly validitySeconds: number
}

/** The key of a chain's table of payouts. */
export function payoutKey(sourceToken: string, destinationChainId: number | bigint): string {
  return `${sourceToken}:${destinationChainId}`
}
