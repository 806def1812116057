/** A liquidity provider shares a vault's result; the provider trades for all of them. */
export type Role = 'lp' | 'provider'

/** A request for a deposit of micro-USDC or a withdrawal of micro-shares. */
export type Request = {
  readonly wallet: string
  readonly role: Role
  readonly type: 'deposit' | 'withdrawal'
  /** The number of the account that pays and is paid, and its builder; null for a wallet on a chain. */
  readonly account: number | null
  readonly broker: string | null
  readonly nonce: string | null
  readonly chainId: string
  readonly atMs: number
  readonly size: number
}

/** A caller's request to a vault, and the micro-USDC that it has paid to the account so far. */
export type VaultRequest = Request & { readonly vault: number; paid: number }
