import { effect, signal } from '@preact/signals'
import { saveFile } from '../../common/save-file.ts'
import { decryptSecret, encryptSecret } from './encrypted-secrets.ts'
import { keptWallets, session } from './session.ts'

type Readers = ReadonlyMap<string, () => string>

/** Per wallet address, the function that returns its secret, for wallets made on this page or stored in this browser. */
const readers = signal<Readers>(new Map())

/** Remembers how to read a wallet's secret, until the page closes or its account's key is deleted. */
export function rememberSecret(address: string, read: () => string): void {
  readers.value = new Map(readers.peek()).set(address, read)
}

/** If storage fails, the page keeps the secret only until it closes. */
const IGNORE_STORAGE_FAILURE = () => undefined

/** Remembers how to read a wallet's secret, and stores the secret for a reload if the browser allows it. */
export async function keepSecret(address: string, read: () => string): Promise<void> {
  rememberSecret(address, read)
  await encryptSecret(address, read()).catch(IGNORE_STORAGE_FAILURE)
}

// If another tab deletes an account's key, this tab also drops the wallet's secret from memory.
effect(() => {
  const { value: kept } = keptWallets
  readers.value = new Map([...readers.peek()].filter(([address]) => kept.has(address)))
})

// Reads the stored secret of the open account after a reload.
effect(() => {
  const key = session.value
  if (key?.wallet === 'throw-away') void loadStoredSecret(key.address).catch(IGNORE_STORAGE_FAILURE)
})

async function loadStoredSecret(address: string): Promise<void> {
  const secret = await decryptSecret(address)
  if (secret && keptWallets.peek().has(address)) rememberSecret(address, () => secret)
}

/** Whether this page has the secret of a wallet. */
export function hasSecret(address: string): boolean {
  return readers.value.has(address)
}

/** The secret of a wallet; null if this page does not have it. */
export function walletSecret(address: string): string | null {
  return readers.peek().get(address)?.() ?? null
}

/** Saves a wallet's secret as a file with 64 hexadecimal digits, the format of the command `account create`. */
export function saveSecret(address: string): void {
  const secret = walletSecret(address)
  if (!secret) return
  saveFile(`wallet-${address}.txt`, `${secret}\n`, 'text/plain')
}
