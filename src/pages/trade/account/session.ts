import { computed, effect, signal } from '@preact/signals'
import { isClockUnusable, isOffsetAgreed, serverSecond, signingMs } from '../feed/clock.ts'
import { feed, identify } from '../feed/service.ts'
import {
  findMissingCapability,
  type KeptKey,
  type KeyStore,
  type MissingCapability,
  openKeyStore,
  signWith,
} from './trading-key.ts'

/** The capability for trading that this browser does not have; null if it has all. */
export const missingCapability = signal<MissingCapability | null>(null)

/** The trading key with which this page signs; null while no account is open. */
export const session = signal<KeptKey | null>(null)

/** The wallet addresses of all accounts whose keys this browser stores. */
export const keptWallets = signal<ReadonlySet<string>>(new Set())

/** Whether the page has finished looking for a stored key. */
export const isSessionKnown = signal(false)

/** Public keys that the venue has refused. */
const refused = signal<ReadonlySet<string>>(new Set())

export type KeyState = 'none' | 'active' | 'expired' | 'refused'

/** Whether the key can sign now. */
export const keyState = computed<KeyState>(() => {
  const { value } = session
  if (value === null) return 'none'
  if (refused.value.has(value.publicKey)) return 'refused'
  return value.expiresAtMs <= serverSecond.value ? 'expired' : 'active'
})

export const canTrade = computed(
  () => keyState.value === 'active' && (session.value?.scope.includes('trading') ?? false),
)

let store: KeyStore | null = null

/** Checks the browser's capabilities, and opens the account of its stored key. */
export async function startSession(): Promise<void> {
  missingCapability.value = await findMissingCapability()
  if (missingCapability.value === null) {
    try {
      store = openKeyStore()
      store.onChange(() => void loadStoredKeys().catch(withoutStorage))
      await loadStoredKeys()
    } catch {
      withoutStorage()
    }
  }
  isSessionKnown.value = true
}

function withoutStorage(): void {
  missingCapability.value = 'storage'
}

/**
 * Reads the stored keys. Uses the current account's key if it is still stored, otherwise the key that was bound last.
 */
async function loadStoredKeys(): Promise<void> {
  const keys = (await store?.all()) ?? []
  keptWallets.value = new Set(keys.map(({ address }) => address))
  const current = session.peek()
  const same = keys.find(({ accountId }) => accountId === current?.accountId)
  session.value = same ?? keys[0] ?? null
}

/** Stores a new key for its account, and signs with it from now on. */
export async function adoptKey(key: KeptKey): Promise<void> {
  await store?.keep(key)
  keptWallets.value = new Set([...keptWallets.peek(), key.address])
  session.value = key
}

/** Deletes this account's key from the browser; the account itself stays. */
export async function forgetKey(): Promise<void> {
  const current = session.peek()
  if (!current) return
  await store?.forget(current.accountId)
  session.value = null
  await loadStoredKeys()
}

/** Remembers that the venue has refused this key. */
export function markRefused(publicKey: string): void {
  refused.value = new Set([...refused.peek(), publicKey])
}

/** Reads all data of the account now, for example after a write. */
export function refreshAccount(): void {
  feed.refresh('account ')
}

/** Authenticates live data for the account while its key is active. The key signs only the time, never an order. */
export function startLiveAuthentication(): void {
  effect(() => {
    const key = session.value
    // Reads the consent to sign with the server's time, so that the proof is signed again once the user has agreed.
    // Before that, the server refuses the time of the signature.
    void isOffsetAgreed.value
    if (!key || keyState.value !== 'active' || isClockUnusable.value) identify(null)
    else
      identify(async () => {
        const timestamp = String(signingMs())
        const signature = await signWith(key.key, timestamp)
        return { accountId: key.accountId, key: key.publicKey, timestamp, signature }
      })
  })
}
