import { toBase58 } from '../../../crypto/base58.ts'

const ALGORITHM = 'Ed25519'

/** A new trading key: the half that signs, which cannot be read out, and the text of the public half. */
export type NewKey = { readonly key: CryptoKey; readonly publicKey: string }

/** What keeps this browser from trading; null when nothing does. */
export type Lack = 'insecure' | 'ed25519' | 'storage'

/** Makes a key whose secret half never leaves the browser's own hands. */
export async function newTradingKey(): Promise<NewKey> {
  const pair = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new TypeError('no key pair')
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey)
  return { key: pair.privateKey, publicKey: `ed25519:${toBase58(new Uint8Array(raw))}` }
}

/** Takes up a 32-byte secret as a key that cannot be read out, and clears the bytes that were given. */
export async function importTradingKey(secret: Uint8Array): Promise<NewKey> {
  const document = Uint8Array.of(...PKCS8_HEAD, ...secret)
  secret.fill(0)
  const readable = await crypto.subtle.importKey('pkcs8', document, ALGORITHM, true, ['sign'])
  const { x = '' } = await crypto.subtle.exportKey('jwk', readable)
  const key = await crypto.subtle.importKey('pkcs8', document, ALGORITHM, false, ['sign'])
  document.fill(0)
  const binary = atob(x.replaceAll('-', '+').replaceAll('_', '/'))
  const raw = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  return { key, publicKey: `ed25519:${toBase58(raw)}` }
}

/** What precedes the secret of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]

/** Signs a text's UTF-8 bytes: base64url without padding, as the relay takes it. */
export async function signWith(key: CryptoKey, text: string): Promise<string> {
  const signature = await crypto.subtle.sign(ALGORITHM, key, new TextEncoder().encode(text))
  const binary = String.fromCharCode(...new Uint8Array(signature))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Tries what trading needs. */
export async function findLack(): Promise<Lack | null> {
  if (!isSecureContext || !crypto.subtle) return 'insecure'
  try {
    await newTradingKey()
  } catch {
    return 'ed25519'
  }
  return typeof indexedDB === 'undefined' || typeof BroadcastChannel === 'undefined'
    ? 'storage'
    : null
}
