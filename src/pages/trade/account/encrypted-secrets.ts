import { openKeptRows } from '../../common/kept-rows.ts'

const CIPHER = 'AES-GCM'
const IV_BYTES = 12

/** A wallet's secret, encrypted with a non-exportable key: WebCrypto has no keys of a wallet's own curve. */
type EncryptedSecret = {
  readonly address: string
  readonly key: CryptoKey
  readonly iv: Uint8Array<ArrayBuffer>
  readonly encrypted: ArrayBuffer
}

// Opened with the first secret, since a browser that denies IndexedDB throws.
function keptSecrets() {
  return openKeptRows<EncryptedSecret>('wallet-secrets', 'address')
}

/** Keeps a wallet's secret in this browser, encrypted. Rejects where the browser keeps nothing. */
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

/**
 * The secret of a wallet that this browser keeps; null for a wallet that it does not keep. Rejects where it cannot be
 * read.
 */
export async function decryptSecret(address: string): Promise<string | null> {
  const row = await keptSecrets().find(address)
  if (!row) return null
  const { key, iv, encrypted } = row
  return new TextDecoder().decode(await crypto.subtle.decrypt({ name: CIPHER, iv }, key, encrypted))
}

/** Drops a wallet's secret from this browser. Rejects where it cannot. */
export async function dropEncrypted(address: string): Promise<void> {
  await keptSecrets().remove(address)
}
