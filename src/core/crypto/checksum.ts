import { utf8 } from '../bytes.ts'
import { isAddress, toHex } from '../hex.ts'

/** Whether a text is an address in one case, or in mixed case with a valid ERC-55 checksum. */
export function isEip55(text: string): boolean {
  if (!isAddress(text)) return false
  const digits = text.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true
  return text === toEip55(text)
}

/**
 * An address in the mixed case of ERC-55: a letter is upper-case where the Keccak-256 of the lower-case digits has a
 * nibble of eight or more. Throws RangeError for text that is not an address.
 */
export function toEip55(address: string): string {
  if (!isAddress(address)) throw new RangeError('not an address')
  const digits = address.slice(2).toLowerCase()
  const nibbles = toHex(hashed(digits))
  const cased = Array.from(digits, (digit, at) =>
    nibbles.charAt(at) >= '8' ? digit.toUpperCase() : digit,
  )
  return `0x${cased.join('')}`
}

/** Loads Keccak at the first mixed-case address, because its tables take a millisecond and every start reads settings. */
function hashed(digits: string): Uint8Array {
  const { keccak256 }: typeof import('./keccak.ts') = require('./keccak.ts')
  return keccak256(utf8(digits))
}
