import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { expected } from '../core/loop/guarded.ts'
import type { Random } from '../core/ports.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
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
  const keys = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), purpose, 32)),
  )
  const [newest] = keys

  function encrypt(text: string, owner: string): string {
    if (!newest) return text
    const iv = random.bytes(IV_BYTES)
    const cipher = createCipheriv(CIPHER, newest, iv).setAAD(Buffer.from(owner))
    const encrypted = Buffer.concat([cipher.update(text), cipher.final()])
    return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64')
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
  if (bytes.byteLength < IV_BYTES + TAG_BYTES) return null
  const [iv, rest] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)]
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(owner)).setAuthTag(rest.subarray(0, TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()]).toString()
  } catch (error) {
    // Another key's, or damaged: the only error of the cipher once the lengths are right.
    expected('store', error, Error)
    return null
  }
}
