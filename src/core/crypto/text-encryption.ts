import type { Random } from '../ports.ts'
import { decryptBytes, deriveKey, encryptBytes, IV_BYTES } from './aes-gcm.ts'

const PREFIX = 'aes1:'

/** Encrypts short texts with the first key of a list, and decrypts texts of every key in it. */
export type TextEncryption = {
  /** Encrypts with AES-256-GCM, bound to `owner`. Without a key it returns the text itself. */
  readonly encrypt: (text: string, owner: string) => string
  /** The text; null if every key fails to decrypt it for this owner. A plain text is returned unchanged. */
  readonly decrypt: (stored: string, owner: string) => string | null
  /**
   * The stored text, re-encrypted with the first key; unchanged if the first key already encrypted it or all keys fail.
   */
  readonly renew: (stored: string, owner: string) => string
}

/** Encryption whose keys are derived from secrets by HKDF (RFC 5869), for one purpose; the newest secret first. */
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

/** The bytes of an encrypted text; empty for a plain one. */
function encryptedBytes(stored: string): Buffer {
  return Buffer.from(stored.startsWith(PREFIX) ? stored.slice(PREFIX.length) : '', 'base64')
}

function decrypted(key: Uint8Array, bytes: Buffer, owner: string): string | null {
  return decryptBytes(key, bytes, owner)?.toString() ?? null
}
