/** JSON Schema patterns for hex texts with the prefix `0x`. */
export const HEX_PATTERNS = {
  address: '^0x[0-9a-fA-F]{40}$',
  /** 32 bytes: a transaction hash, a block hash or an account id. */
  hash: '^0x[0-9a-fA-F]{64}$',
} as const

/** The same patterns in lower case, as this service writes them. */
export const LOWER_HEX_PATTERNS = {
  address: '^0x[0-9a-f]{40}$',
  hash: '^0x[0-9a-f]{64}$',
  bytes: '^0x(?:[0-9a-f]{2})*$',
} as const
