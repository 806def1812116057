/** A trading key as this browser keeps it: it signs, and nobody reads it, not even this page. */
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

export type KeyStore = {
  /** Every key that is kept, the last bound first. */
  readonly all: () => Promise<readonly KeptKey[]>
  readonly keep: (key: KeptKey) => Promise<void>
  readonly forget: (accountId: string) => Promise<void>
  /** Calls whenever another tab keeps or forgets one. */
  readonly onChange: (work: () => void) => void
}

const NAME = 'trading-keys'

/** The keys of this origin, by account, in IndexedDB. Rejects where the browser keeps nothing. */
export function openKeyStore(): KeyStore {
  const opening = opened()
  const channel = new BroadcastChannel(NAME)

  async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>) {
    const database = await opening
    return settled(work(database.transaction(NAME, mode).objectStore(NAME)))
  }

  return {
    all: async () => {
      const keys: KeptKey[] = await run('readonly', (store) => store.getAll())
      return keys.sort((a, b) => b.boundAtMs - a.boundAtMs)
    },
    keep: async (key) => {
      await run('readwrite', (store) => store.put(key))
      channel.postMessage(null)
    },
    forget: async (accountId) => {
      await run('readwrite', (store) => store.delete(accountId))
      channel.postMessage(null)
    },
    onChange: (work) => {
      channel.onmessage = work
    },
  }
}

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1)
  request.onupgradeneeded = () => {
    request.result.createObjectStore(NAME, { keyPath: 'accountId' })
  }
  return settled(request)
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
