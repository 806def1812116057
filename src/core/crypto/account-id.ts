import { toPrefixedHex } from '../hex.ts'
import { encodeWords } from './eip712.ts'
import { keccak256 } from './keccak.ts'

/**
 * The venue's id of a wallet's main account with a broker: `0x` and 64 hex characters, the Keccak-256 of
 * `abi.encode(address, keccak256(brokerId))`. Sub-accounts have ids that cannot be derived.
 * Throws RangeError when the address is none.
 */
export function accountIdOf(address: string, brokerId: string): string {
  return toPrefixedHex(keccak256(encodeWords(ACCOUNT_FIELDS, { address, brokerId })))
}

/** The word of a text is its Keccak-256, as in EIP-712. */
const ACCOUNT_FIELDS = [
  { name: 'address', type: 'address' },
  { name: 'brokerId', type: 'string' },
] as const
