import { effect, signal } from '@preact/signals'
import { saveFile } from '../../common/save-file.ts'
import { decryptSecret, encryptSecret } from './encrypted-secrets.ts'
import { keptWallets, session } from './session.ts'

type Readers = ReadonlyMap<string, () => string>

/** The functions that read the secrets of the wallets that this page has made or this browser has kept, by address. */
const readers = signal<Readers>(new Map())

/** Remembers how a wallet's secret is read until the page closes, or its account's key is forgotten. */
export function learnSecret(address: string, read: () => string): void {
  readers.value = new Map(readers.peek()).set(address, read)
}

/** Without storage the page has the secret until it closes. */
const WITHOUT_STORAGE = () => undefined

/** Remembers how a wallet's secret is read, and keeps the secret over a reload where the browser allows it. */
export async function keepSecret(address: string, read: () => string): Promise<void> {
  learnSecret(address, read)
  await encryptSecret(address, read()).catch(WITHOUT_STORAGE)
}

// A different tab may have forgotten the key of an account: then the secret leaves the memory of this tab too.
effect(() => {
  const { value: kept } = keptWallets
  readers.value = new Map([...readers.peek()].filter(([address]) => kept.has(address)))
})

// Reads the kept secret of the open account, when the page is opened again.
effect(() => {
  const key = session.value
  if (key?.wallet === 'throw-away') void takeUp(key.address).catch(WITHOUT_STORAGE)
})

async function takeUp(address: string): Promise<void> {
  const secret = await decryptSecret(address)
  if (secret && keptWallets.peek().has(address)) learnSecret(address, () => secret)
}

/** Whether this page has the secret of a wallet. */
export function hasSecret(address: string): boolean {
  return readers.value.has(address)
}

/** The secret of a wallet; null where this page does not have it. */
export function walletSecret(address: string): string | null {
  return readers.peek().get(address)?.() ?? null
}

/** Saves a wallet's secret as a file: 64 hexadecimal digits, as `account create` writes them. */
export function saveSecret(address: string): void {
  const secret = walletSecret(address)
  if (!secret) return
  saveFile(`wallet-${address}.txt`, `${secret}\n`, 'text/plain')
}
