import { toPrefixedHex } from '../hex.ts'
import { encodeWords } from './eip712.ts'
import { keccak256 } from './keccak.ts'

/**
 * The venue's id of a wallet's main account with a broker: `0x` and 64 hex characters, the Keccak-256 of
 * `abi.encode(address, keccak256(brokerId))`. Ids of sub-accounts cannot be derived. Throws RangeError for an invalid
 * address.
 */
export function mainAccountId(address: string, brokerId: string): string {
  return toPrefixedHex(keccak256(encodeWords(ACCOUNT_FIELDS, { address, brokerId })))
}

/** A text is encoded as its Keccak-256, as in EIP-712. */
const ACCOUNT_FIELDS = [
  { name: 'address', type: 'address' },
  { name: 'brokerId', type: 'string' },
] as const
