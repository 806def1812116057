import { concatBytes, utf8 } from '../core/bytes.ts'
import { fromHex, isAddress, toHex } from '../core/hex.ts'
import { keccak256 } from './keccak.ts'

/**
 * The venue's id of a wallet's main account with a broker: `0x` and 64 hex characters, the Keccak-256 of
 * `abi.encode(address, keccak256(brokerId))`. Sub-accounts have ids that cannot be derived.
 * Throws RangeError when the address is none.
 */
export function accountIdOf(address: string, brokerId: string): string {
  const word = isAddress(address) && fromHex(address.slice(2).padStart(64, '0'))
  if (!word) throw new RangeError('not an address')
  return `0x${toHex(keccak256(concatBytes([word, keccak256(utf8(brokerId))])))}`
}
