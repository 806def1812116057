import { HEX_PATTERNS, LOWER_HEX_PATTERNS } from '../contract/hex.ts'

/** The zero address, which represents a chain's native coin in swaps. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

/** Lower-case hex, two characters per byte, without `0x`. */
export function toHex(bytes: Uint8Array): string {
  return bytes.toHex()
}

/** `0x` and lower-case hex, the format of chains and wallets. */
export function toPrefixedHex(bytes: Uint8Array): `0x${string}` {
  return `0x${toHex(bytes)}`
}

/** The bytes of a hex text in any case, with or without `0x`; null for other characters or an odd length. */
export function fromHex(text: string): Uint8Array | null {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  return EVEN_HEX.test(digits) ? Uint8Array.fromHex(digits) : null
}

/** Whether a text is `0x` and 40 hex characters in any case; the checksum is not verified. */
export function isAddress(text: string): boolean {
  return ADDRESS.test(text)
}

/** Whether a text is `0x` and 64 hex characters, in any case: a hash, or an account's id. */
export function isHash(text: string): boolean {
  return HASH.test(text)
}

/** Whether a text is `0x` and an even number (also zero) of lower-case hex characters. */
export function isLowerHex(text: string): boolean {
  return LOWER_BYTES.test(text)
}

/** `0x1234…abcd`: enough to recognise an address, not to look it up. */
export function abbreviate(address: unknown): string {
  const text = typeof address === 'string' ? address : ''
  return text.length > 12 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text
}

const EVEN_HEX = /^(?:[0-9a-fA-F]{2})*$/
const ADDRESS = new RegExp(HEX_PATTERNS.address)
const HASH = new RegExp(HEX_PATTERNS.hash)
const LOWER_BYTES = new RegExp(LOWER_HEX_PATTERNS.bytes)
