import { fromHex } from '../core/hex.ts'
import { fromBase58 } from '../crypto/base58.ts'

const KEY_BYTES = 32

/** The 32 bytes of a secret written as hex; undefined for any other text. */
export function hexKey(text: string): Uint8Array | undefined {
  return keyOf(fromHex(text))
}

/** The same of one written as base58. */
export function base58Key(text: string): Uint8Array | undefined {
  return keyOf(fromBase58(text))
}

/** All zeros is the mark of a template that nobody filled in, and no valid wallet key. */
function keyOf(bytes: Uint8Array | null): Uint8Array | undefined {
  return bytes?.length === KEY_BYTES && bytes.some((byte) => byte !== 0) ? bytes : undefined
}
