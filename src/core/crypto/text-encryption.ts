import type { Random } from '../ports.ts'
import { decryptBytes, deriveKey, encryptBytes, IV_BYTES } from './aes-gcm.ts'

const PREFIX = 'aes1:'

/** Encrypts short texts with the first of some keys, and decrypts those of all of them. */
export type TextEncryption = {
  /** AES-256-GCM, bound to `owner`; the text itself where there is no key. */
  readonly encrypt: (text: string, owner: string) => string
  /** The text; null where no key decrypts it for this owner. A text that is not encrypted is answered as it is. */
  readonly decrypt: (stored: string, owner: string) => string | null
  /** The stored text encrypted with the first key; unchanged where it is already, or where no key decrypts it. */
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

/** The bytes of an encrypted text; none of another. */
function encryptedBytes(stored: string): Buffer {
  return Buffer.from(stored.startsWith(PREFIX) ? stored.slice(PREFIX.length) : '', 'base64')
}

function decrypted(key: Uint8Array, bytes: Buffer, owner: string): string | null {
  return decryptBytes(key, bytes, owner)?.toString() ?? null
}
