import type { DepositEvent } from '../../contract/voucher.ts'

/** The payout rule of one source token on one destination chain, in the paid token's units. */
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
  /** Deposits in earlier blocks are never paid. */
  readonly startBlock: bigint
  /** How long after its block a deposit can be paid. No voucher is signed or valid after that. */
  readonly payableSeconds: number
  readonly event: DepositEvent
  /** The block tag that counts as final, or the number of blocks after which a block is final. */
  readonly finality: 'finalized' | 'safe' | number
  readonly checkpoint: { readonly block: number; readonly hash: string } | null
  /** The destination of deposits, for an event that contains no destination. */
  readonly destinationChainId: number | null
  /** Token addresses by the Keccak-256 of their symbol, for an event that contains only that hash. */
  readonly symbols: ReadonlyMap<string, string>
  /** Payouts by `payoutKey`. */
  readonly payouts: ReadonlyMap<string, Payout>
}

/** A signing key on a different machine. */
export type RemoteKey = {
  /** The base URL of the signer's interface. */
  readonly url: URL
  /** `0x` and 128 hex characters in lower case. */
  readonly publicKey: string
  /** The address of the public key, in lower case. */
  readonly address: string
  /** Paths of the client certificate, its key, and the certificate authority of the signer; null without TLS. */
  readonly files: {
    readonly certificate: string
    readonly key: string
    /** Null: the system's trusted authorities. */
    readonly ca: string | null
  } | null
}

export type VoucherConfig = {
  readonly chains: ReadonlyMap<number, SourceChain>
  /** Maximum redeemable amount per 24 hours, by `payoutKey` of the paid token and its chain. */
  readonly caps: ReadonlyMap<string, bigint>
  readonly validitySeconds: number
}

/** The key of a chain's table of payouts. */
export function payoutKey(sourceToken: string, destinationChainId: number | bigint): string {
  return `${sourceToken}:${destinationChainId}`
}
