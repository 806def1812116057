import { signal } from '@preact/signals'
import { saveFile } from '../../common/save-file.ts'

type Readers = ReadonlyMap<string, () => string>

/** How to read the secrets of the wallets that this page has made, by address: they are gone with the page. */
const readers = signal<Readers>(new Map())

/** Remembers, while the page is open, how a wallet's secret is read. */
export function rememberSecret(address: string, read: () => string): void {
  readers.value = new Map(readers.peek()).set(address, read)
}

/** Whether this page has the secret of a wallet. */
export function hasSecret(address: string): boolean {
  return readers.value.has(address)
}

/** The secret of a wallet; null where this page does not have it. */
export function secretOf(address: string): string | null {
  return readers.peek().get(address)?.() ?? null
}

/** Saves a wallet's secret as a file: 64 hexadecimal digits, as `account create` writes them. */
export function saveSecret(address: string): void {
  const secret = secretOf(address)
  if (!secret) return
  saveFile(`wallet-${address}.txt`, `${secret}\n`, 'text/plain')
}
