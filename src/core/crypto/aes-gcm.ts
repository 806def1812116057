import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { reportUnexpected } from '../loop/guarded.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const TAG_BYTES = 16

export const IV_BYTES = 12

/** Derives a key for one purpose from a secret, by HKDF (RFC 5869). */
export function deriveKey(secret: string | Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), purpose, KEY_BYTES))
}

/**
 * Encrypts with AES-256-GCM (NIST SP 800-38D), bound to the owner. Returns initialization vector, tag and ciphertext,
 * concatenated.
 */
export function encryptBytes(
  key: Uint8Array,
  plain: Uint8Array,
  owner: string,
  iv: Uint8Array,
): Buffer {
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(owner))
  const text = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), text])
}

/** Decrypts the bytes of `encryptBytes`; null for a wrong key, a wrong owner or damaged bytes. */
export function decryptBytes(key: Uint8Array, encrypted: Uint8Array, owner: string): Buffer | null {
  if (encrypted.byteLength < IV_BYTES + TAG_BYTES) return null
  const [iv, rest] = [encrypted.subarray(0, IV_BYTES), encrypted.subarray(IV_BYTES)]
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(owner)).setAuthTag(rest.subarray(0, TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()])
  } catch (error) {
    // With valid lengths, the cipher's only error is a failed authentication.
    reportUnexpected('store', error, Error)
    return null
  }
}
