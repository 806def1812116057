import { toBase58 } from '../../../core/crypto/base58.ts'
import { openKeptRows } from '../../common/kept-rows.ts'

const ALGORITHM = 'Ed25519'

/** A new trading key: the secret half, which cannot be read out, and the text of the public half. */
export type NewKey = { readonly key: CryptoKey; readonly publicKey: string }

/** The capability that this browser does not have and trading needs. */
export type MissingCapability = 'insecure' | 'ed25519' | 'storage'

/** Makes a key whose secret half cannot leave the browser. */
export async function newTradingKey(): Promise<NewKey> {
  const pair = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new TypeError('no key pair')
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey)
  return { key: pair.privateKey, publicKey: `ed25519:${toBase58(new Uint8Array(raw))}` }
}

/** Signs a text's UTF-8 bytes: base64url without padding, as the relay takes it. */
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

/** A trading key as this browser keeps it: it signs, and even this page cannot read its secret half. */
export type KeptKey = {
  readonly accountId: string
  /** The wallet that bound it. */
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

/** The keys of this origin, by account, in IndexedDB. Rejects where the browser keeps nothing. */
export function openKeyStore() {
  const rows = openKeptRows<KeptKey>(NAME, 'accountId')
  const channel = new BroadcastChannel(NAME)
  return {
    /** Every key that is kept, the last bound first. */
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
    /** Calls `work` whenever a different tab keeps or forgets a key. */
    onChange: (work: () => void) => {
      channel.onmessage = work
    },
  }
}
