import { toBase58 } from '../../../core/crypto/base58.ts'
import { openKeptRows } from '../../common/kept-rows.ts'

const ALGORITHM = 'Ed25519'

/** A new trading key: the non-exportable secret key, and the public key as text. */
export type NewKey = { readonly key: CryptoKey; readonly publicKey: string }

/** A capability for trading that a browser may not have. */
export type MissingCapability = 'insecure' | 'ed25519' | 'storage'

/** Generates a trading key whose secret key cannot leave the browser. */
export async function newTradingKey(): Promise<NewKey> {
  const pair = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new TypeError('no key pair')
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey)
  return { key: pair.privateKey, publicKey: `ed25519:${toBase58(new Uint8Array(raw))}` }
}

/** Signs a text's UTF-8 bytes. Returns base64url without padding, as the relay requires. */
export async function signWith(key: CryptoKey, text: string): Promise<string> {
  const signature = await crypto.subtle.sign(ALGORITHM, key, new TextEncoder().encode(text))
  const binary = String.fromCharCode(...new Uint8Array(signature))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Tests the capabilities that trading needs. */
export async function findMissingCapability(): Promise<MissingCapability | null> {
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

/** A stored trading key. It can sign, but even this page cannot read its secret. */
export type KeptKey = {
  readonly accountId: string
  /** The address of the wallet that bound the key. */
  readonly address: string
  readonly wallet: 'injected' | 'throw-away'
  readonly publicKey: string
  readonly scope: string
  readonly expiresAtMs: number
  readonly boundAtMs: number
  readonly key: CryptoKey
}

export type KeyStore = ReturnType<typeof openKeyStore>

const NAME = 'trading-keys'

/**
 * Opens the store of this origin's trading keys in IndexedDB, by account. Its operations reject if the browser denies
 * storage.
 */
export function openKeyStore() {
  const rows = openKeptRows<KeptKey>(NAME, 'accountId')
  const channel = new BroadcastChannel(NAME)
  return {
    /** Every stored key, the last bound first. */
    all: async (): Promise<readonly KeptKey[]> =>
      (await rows.all()).toSorted((a, b) => b.boundAtMs - a.boundAtMs),
    keep: async (key: KeptKey) => {
      await rows.put(key)
      channel.postMessage(null)
    },
    forget: async (accountId: string) => {
      await rows.remove(accountId)
      channel.postMessage(null)
    },
    /** Calls `work` whenever another tab stores or deletes a key. */
    onChange: (work: () => void) => {
      channel.onmessage = work
    },
  }
}
