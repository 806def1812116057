type WalletWork = typeof import('../wallet.ts')['WALLET_WORK']

let load: () => Promise<WalletWork> = () => Promise.reject(new Error('the page has not begun'))

/** Loads what is needed once a wallet has something to sign. */
export const walletWork = (): Promise<WalletWork> => load()

/** Says how it is loaded. */
export function loadWalletWorkBy(how: typeof load): void {
  load = how
}
