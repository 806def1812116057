import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8 } from '../bytes.ts'
import { toPrefixedHex } from '../hex.ts'

/**
 * Ethereum's Keccak-256, 32 bytes. It differs from SHA3-256 (FIPS 202), because it keeps the padding of the original
 * submission.
 */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}

/** The Keccak-256 of a text's UTF-8 bytes, as `0x` and 64 hex characters. */
export function keccakOfText(text: string): string {
  return toPrefixedHex(keccak256(utf8(text)))
}

/** The selector of a contract's function: the first four bytes of the Keccak-256 of its signature, as `0x` and 8 characters. */
export function functionSelector(signature: string): string {
  return keccakOfText(signature).slice(0, SELECTOR_CHARS)
}

const SELECTOR_CHARS = 10
