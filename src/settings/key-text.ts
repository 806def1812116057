import { fromHex } from '../core/hex.ts'
import { fromBase58 } from '../crypto/base58.ts'

const KEY_BYTES = 32

/** One operator key, or two on two lines; undefined for anything else. */
export function keyLines(text: string): readonly string[] | undefined {
  const lines = text.split('\n')
  return lines.length <= 2 && lines.every((line) => /^[\x21-\x7e]{32,256}$/.test(line))
    ? lines
    : undefined
}

/** One wallet key as hex, or two on two lines; undefined for anything else. */
export function hexKeyLines(text: string): readonly Uint8Array[] | undefined {
  const keys = text.split('\n').map(hexKey)
  return keys.length <= 2 && keys.every((key) => key !== undefined) ? keys : undefined
}

/** The 32 bytes of a key from its hex; undefined for anything else. */
export function hexKey(text: string): Uint8Array | undefined {
  return keyOf(fromHex(text))
}

/** The 32 bytes of a key from its base58; undefined for anything else. */
export function base58Key(text: string): Uint8Array | undefined {
  return keyOf(fromBase58(text))
}

/** All zeros is the mark of a template that nobody filled in, and no valid wallet key. */
function keyOf(bytes: Uint8Array | null): Uint8Array | undefined {
  return bytes?.length === KEY_BYTES && bytes.some((byte) => byte !== 0) ? bytes : undefined
}
