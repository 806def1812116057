import type { EndpointView } from './quorum.ts'

/** The chains on which deposits are made, through every configured endpoint of each. */
export type Chains = {
  /**
   * What each endpoint of a chain says about a transaction, in the order of the configuration. Never throws for the
   * sake of an endpoint: one that cannot be used is a view of its own.
   */
  readonly read: (chainId: number, txHash: string) => Promise<readonly EndpointView[]>
}

/** Who signs vouchers: a key in this process, or a machine that keeps one. */
export type VoucherSigner = {
  /** In lower case. */
  readonly address: string
  /** Signs a 32-byte digest as wallets do: `0x` and r, s, v, low s, v 27 or 28. The same digest, the same bytes. */
  readonly sign: (digest: Uint8Array) => Promise<string>
}
