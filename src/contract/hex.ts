/** Texts of hex digits, `0x` before them, by what they stand for: patterns of JSON Schema. */
export const HEX_PATTERNS = {
  address: '^0x[0-9a-fA-F]{40}$',
  /** 32 bytes: of a transaction, a block, an account. */
  hash: '^0x[0-9a-fA-F]{64}$',
} as const

/** The same where this service writes them: in lower case. */
export const LOWER_HEX_PATTERNS = {
  address: '^0x[0-9a-f]{40}$',
  hash: '^0x[0-9a-f]{64}$',
  bytes: '^0x(?:[0-9a-f]{2})*$',
} as const
