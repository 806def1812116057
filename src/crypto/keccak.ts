import { keccak_256 } from '@noble/hashes/sha3.js'

/** The 32-byte Keccak-256 of Ethereum: the padding of the original submission, so not FIPS 202's SHA3-256. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}
