import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8 } from '../bytes.ts'
import { toPrefixedHex } from '../hex.ts'

/** The 32-byte Keccak-256 of Ethereum: the padding of the original submission, so not FIPS 202's SHA3-256. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}

/** The same of a text's UTF-8 bytes, as `0x` and 64 hex characters. */
export function keccakOfText(text: string): string {
  return toPrefixedHex(keccak256(utf8(text)))
}

/** The first four bytes of that of a function's signature, which selects the function of a contract: `0x` and 8 characters. */
export function selectorOf(signature: string): string {
  return keccakOfText(signature).slice(0, SELECTOR_CHARS)
}

const SELECTOR_CHARS = 10
