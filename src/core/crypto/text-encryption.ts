import type { Random } from '../ports.ts'
import { decryptBytes, deriveKey, encryptBytes, IV_BYTES } from './aes-gcm.ts'

const PREFIX = 'aes1:'

/** Encrypts short texts with the first key of a list, and decrypts texts encrypted with any key of the list. */
export type TextEncryption = {
  /** Encrypts with AES-256-GCM, bound to `owner`. Without a key it returns the text itself. */
  readonly encrypt: (text: string, owner: string) => string
  /** Decrypts a stored text; null if every key fails for this owner. A plain text is returned unchanged. */
  readonly decrypt: (stored: string, owner: string) => string | null
  /**
   * Re-encrypts a stored text with the first key. Returns it unchanged if the first key already encrypted it, or all
   * keys fail.
   */
  readonly renew: (stored: string, owner: string) => string
}

/** Creates an encryption whose keys are derived from `secrets` (newest first) for one purpose, by HKDF (RFC 5869). */
export function createTextEncryption(
  secrets: readonly string[],
  purpose: string,
  random: Random,
): TextEncryption {
  const keys = secrets.map((secret) => deriveKey(secret, purpose))
  const [newest] = keys

  function encrypt(text: string, owner: string): string {
    if (!newest) return text
    const bytes = encryptBytes(newest, Buffer.from(text), owner, random.bytes(IV_BYTES))
    return PREFIX + bytes.toString('base64')
  }

  function decrypt(stored: string, owner: string): string | null {
    if (!stored.startsWith(PREFIX)) return stored
    for (const key of keys) {
      const text = decrypted(key, encryptedBytes(stored), owner)
      if (text !== null) return text
    }
    return null
  }

  function renew(stored: string, owner: string): string {
    if (newest && decrypted(newest, encryptedBytes(stored), owner) !== null) return stored
    const text = decrypt(stored, owner)
    return text === null ? stored : encrypt(text, owner)
  }

  return { encrypt, decrypt, renew }
}

/** The bytes of an encrypted text; empty for a plain text. */
function encryptedBytes(stored: string): Buffer {
  return Buffer.from(stored.startsWith(PREFIX) ? stored.slice(PREFIX.length) : '', 'base64')
}

function decrypted(key: Uint8Array, bytes: Buffer, owner: string): string | null {
  return decryptBytes(key, bytes, owner)?.toString() ?? null
}
