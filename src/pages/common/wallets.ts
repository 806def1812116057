import { signal } from '@preact/signals'

/** A wallet's provider (EIP-1193). */
type Provider = {
  readonly request: (call: { method: string; params?: readonly unknown[] }) => Promise<unknown>
}

/** A wallet of the browser that has announced itself. */
export type InjectedWallet = {
  readonly id: string
  readonly name: string
  /** A data URL, or empty. */
  readonly icon: string
  readonly provider: Provider
}

/** A failure of a wallet; its reason is a key of the page's messages. */
export class WalletRefusal extends Error {
  readonly reason:
    | 'rejected'
    | 'pending'
    | 'no_account'
    | 'other_account'
    | 'other_chain'
    | 'gone'
    | 'failed'
  constructor(reason: WalletRefusal['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** The wallets that have announced themselves in this browser (EIP-6963). */
export const wallets = signal<readonly InjectedWallet[]>([])

const NAME_MAX_CHARS = 40

/** Requests announcements (EIP-6963). Without any, a wallet that only sets `window.ethereum` is listed. */
export function findWallets(): void {
  addEventListener('eip6963:announceProvider', (event) => {
    if (event instanceof CustomEvent) announce(event.detail)
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
  const only: unknown = Reflect.get(window, 'ethereum')
  if (wallets.peek().length === 0 && isProvider(only)) {
    wallets.value = [{ id: 'window.ethereum', name: '', icon: '', provider: only }]
  }
}

function announce(detail: unknown): void {
  const info = rawMember(detail, 'info')
  const provider = rawMember(detail, 'provider')
  const id = rawText(info, 'uuid')
  if (!isProvider(provider) || id === '') return
  const icon = rawText(info, 'icon')
  const wallet = {
    id,
    name: rawText(info, 'name').slice(0, NAME_MAX_CHARS),
    icon: icon.startsWith('data:image/') ? icon : '',
    provider,
  }
  const others = wallets.peek().filter((known) => known.id !== id && known.id !== 'window.ethereum')
  wallets.value = [...others, wallet]
}

function rawMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function rawText(value: unknown, name: string): string {
  const member = rawMember(value, name)
  return typeof member === 'string' ? member : ''
}

function isProvider(value: unknown): value is Provider {
  return typeof rawMember(value, 'request') === 'function'
}

/** Sends a request to a wallet. Throws WalletRefusal. */
export async function requestWallet(
  { provider }: InjectedWallet,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  try {
    return await provider.request({ method, params })
  } catch (error) {
    throw new WalletRefusal(refusalReason(rawMember(error, 'code')))
  }
}

/**
 * The reason of a wallet's error code: 4001 (EIP-1193) means that the user declined, -32002 that an earlier request is
 * still open.
 */
function refusalReason(code: unknown): WalletRefusal['reason'] {
  if (code === 4001 || code === 'ACTION_REJECTED') return 'rejected'
  return code === -32_002 ? 'pending' : 'failed'
}

/** Requests the wallet's address, which its owner has to allow. Throws WalletRefusal. */
export async function requestAddress(wallet: InjectedWallet): Promise<string> {
  const accounts = await requestWallet(wallet, 'eth_requestAccounts')
  const [first] = Array.isArray(accounts) ? accounts : []
  if (typeof first !== 'string') throw new WalletRefusal('no_account')
  return first
}

/** Reads the wallet's current chain id. Throws WalletRefusal. */
export async function readChainId(wallet: InjectedWallet): Promise<number> {
  const chain = Number(await requestWallet(wallet, 'eth_chainId'))
  if (!Number.isSafeInteger(chain) || chain <= 0) throw new WalletRefusal('failed')
  return chain
}

/** Switches the wallet to a chain if the wallet is on a different chain. Throws WalletRefusal. */
export async function switchWalletChain(wallet: InjectedWallet, chainId: number): Promise<void> {
  if ((await readChainId(wallet)) === chainId) return
  try {
    await requestWallet(wallet, 'wallet_switchEthereumChain', [
      { chainId: `0x${chainId.toString(16)}` },
    ])
  } catch (error) {
    // A wallet fails if it does not know the chain; its owner can add the chain in the wallet.
    const isUnknown = error instanceof WalletRefusal && error.reason === 'failed'
    throw isUnknown ? new WalletRefusal('other_chain') : error
  }
  if ((await readChainId(wallet)) !== chainId) throw new WalletRefusal('other_chain')
}
