import type { Page } from 'playwright-core'

/** A script that answers everything the browser keeps or shows, as one text. */
export const KEPT_OR_SHOWN = `(async () => {
  const databases = await indexedDB.databases()
  const kept = await Promise.all(databases.map(({ name }) => new Promise((resolve) => {
    const open = indexedDB.open(name)
    open.onsuccess = () => {
      const stores = [...open.result.objectStoreNames]
      if (stores.length === 0) return resolve('')
      const all = open.result.transaction(stores[0]).objectStore(stores[0]).getAll()
      all.onsuccess = () => resolve(JSON.stringify(all.result))
    }
  })))
  return [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie, location.href, document.documentElement.outerHTML, ...kept].join(' ')
})()`

/** A script that remembers the 32-byte secrets that the page draws, for the test alone. */
export const REMEMBER_SECRETS = `{
  const draw = crypto.getRandomValues.bind(crypto)
  window.drawn = []
  crypto.getRandomValues = (bytes) => {
    const filled = draw(bytes)
    if (filled.byteLength === 32) window.drawn.push(Array.from(filled, (byte) => byte.toString(16).padStart(2, '0')).join(''))
    return filled
  }
}`

/** A script that answers a field of the trading key that the browser keeps; null where it keeps none. */
export function keptKey(field: string): string {
  return `new Promise((resolve) => {
    const open = indexedDB.open('trading-keys')
    open.onsuccess = () => {
      const all = open.result.transaction('trading-keys').objectStore('trading-keys').getAll()
      all.onsuccess = () => resolve(all.result[0]?.${field} ?? null)
    }
  })`
}

/** How many secrets of wallets the browser keeps, and whether the key that encrypts the first one can be read out. */
export function keptSecrets(page: Page): Promise<{ rows: number; isExtractable: boolean | null }> {
  return page.evaluate(`new Promise(async (resolve) => {
    const databases = await indexedDB.databases()
    // To open it would make one without a store.
    if (!databases.some(({ name }) => name === 'wallet-secrets'))
      return resolve({ rows: 0, isExtractable: null })
    const open = indexedDB.open('wallet-secrets')
    open.onsuccess = () => {
      const all = open.result.transaction('wallet-secrets').objectStore('wallet-secrets').getAll()
      all.onsuccess = () =>
        resolve({ rows: all.result.length, isExtractable: all.result[0]?.key.extractable ?? null })
    }
  })`)
}
