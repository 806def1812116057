import { openKeptRows } from '../../common/kept-rows.ts'

const CIPHER = 'AES-GCM'
const IV_BYTES = 12

/**
 * A wallet's secret, encrypted with a non-exportable key, because WebCrypto does not support the wallet's curve
 * (secp256k1).
 */
type EncryptedSecret = {
  readonly address: string
  readonly key: CryptoKey
  readonly iv: Uint8Array<ArrayBuffer>
  readonly encrypted: ArrayBuffer
}

// The store is opened only on use, because opening throws in a browser that denies IndexedDB.
function keptSecrets() {
  return openKeptRows<EncryptedSecret>('wallet-secrets', 'address')
}

/** Stores a wallet's secret encrypted in this browser. Rejects if the browser denies storage. */
export async function encryptSecret(address: string, secret: string): Promise<void> {
  const key = await crypto.subtle.generateKey({ name: CIPHER, length: 256 }, false, [
    'encrypt',
    'decrypt',
  ])
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const plain = new TextEncoder().encode(secret)
  const encrypted = await crypto.subtle.encrypt({ name: CIPHER, iv }, key, plain)
  await keptSecrets().put({ address, key, iv, encrypted })
}

/** Reads a wallet's stored secret; null if it is not stored. Rejects if it cannot be read. */
export async function decryptSecret(address: string): Promise<string | null> {
  const row = await keptSecrets().find(address)
  if (!row) return null
  const { key, iv, encrypted } = row
  return new TextDecoder().decode(await crypto.subtle.decrypt({ name: CIPHER, iv }, key, encrypted))
}

/** Deletes a wallet's secret from this browser. Rejects if that fails. */
export async function dropEncrypted(address: string): Promise<void> {
  await keptSecrets().remove(address)
}
