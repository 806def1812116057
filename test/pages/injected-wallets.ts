import type { BrowserContext, Page } from 'playwright-core'
import { type TestWallet, WALLETS } from '../surface/wallets.ts'

/** How the first wallet behaves: it signs, declines, is on another chain, signs with another account, or changes its chain while it is asked. */
export type WalletMode = 'sign' | 'reject' | 'far' | 'other' | 'moving'

/** Two wallets that announce themselves to the pages of a context; the texts that they are given to sign. */
export async function injectWallets(
  context: BrowserContext,
  mode: WalletMode,
  wallet: TestWallet = WALLETS.ethers(),
): Promise<readonly string[]> {
  const other = WALLETS.ethers()
  const signed: string[] = []
  await context.exposeFunction('signOutside', (typedData: string, isOther: boolean) => {
    signed.push(typedData)
    return (isOther ? other : wallet).sign(typedData)
  })
  await context.addInitScript(`{
    window.walletMode = '${mode}'
    window.asked = []
    const move = () => { window.walletMode = 'far'; throw new Error('another chain') }
    const refuse = () => { throw Object.assign(new Error('User rejected'), { code: 4001 }) }
    const answers = {
      eth_requestAccounts: () => ['${wallet.address}'],
      eth_chainId: () => window.walletMode === 'far' ? '0x539' : '0xa4b1',
      wallet_switchEthereumChain: () => { window.walletMode = 'sign'; return null },
      eth_signTypedData_v4: ([, typedData]) =>
        window.walletMode === 'moving' ? move() :
        window.walletMode === 'reject' ? refuse() : window.signOutside(typedData, window.walletMode === 'other'),
    }
    const provider = { request: async ({ method, params }) => { window.asked.push(method); return answers[method](params) } }
    const announce = (uuid, name) => dispatchEvent(new CustomEvent('eip6963:announceProvider', {
      detail: Object.freeze({ info: { uuid, name, icon: 'javascript:1', rdns: uuid }, provider }),
    }))
    addEventListener('eip6963:requestProvider', () => { announce('first', 'First Wallet'); announce('second', '<b>Second</b>') })
  }`)
  return signed
}

/** Changes how the first wallet of an open page behaves. */
export function setWalletMode(page: Page, mode: WalletMode): Promise<unknown> {
  return page.evaluate(`window.walletMode = '${mode}'`)
}
