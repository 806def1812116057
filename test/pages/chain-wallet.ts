import type { BrowserContext } from 'playwright-core'
import type { Address } from 'viem'
import type { TestChain } from '../evm/chain.ts'
import { CHAIN_ID } from '../evm/deposits.ts'
import { WALLETS } from '../surface/wallets.ts'

/**
 * A wallet that announces itself to the pages of a context and sends to the test's chain; its address. `window.declines`
 * has it say no, `window.farChain` has it be on another chain, which it leaves unless `window.staysFar`.
 */
export async function injectChainWallet(
  context: BrowserContext,
  { rpc }: Pick<TestChain, 'rpc'>,
): Promise<Address> {
  const wallet = WALLETS.viem()
  const address: Address = `0x${wallet.address.slice(2)}`
  await context.exposeFunction('signOutside', wallet.sign)
  await context.exposeFunction('rpcOutside', (method: string, params: readonly unknown[]) =>
    rpc(method, ...params),
  )
  await context.addInitScript(`{
    const refuse = (code) => { throw Object.assign(new Error('no'), { code }) }
    const own = {
      eth_requestAccounts: () => ['${address}'],
      eth_chainId: () => window.farChain ? '0x539' : '0x${CHAIN_ID.toString(16)}',
      wallet_switchEthereumChain: () => { if (window.staysFar) refuse(4902); window.farChain = false; return null },
      eth_signTypedData_v4: ([, typedData]) => window.signOutside(typedData),
      eth_sendTransaction: (params) =>
        window.declines ? refuse(4001) : window.rpcOutside('eth_sendTransaction', params),
    }
    const request = async ({ method, params = [] }) =>
      own[method] ? own[method](params) : window.rpcOutside(method, params)
    const detail = { info: { uuid: 'one', name: 'Test Wallet', icon: '', rdns: 'one' }, provider: { request } }
    addEventListener('eip6963:requestProvider', () =>
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze(detail) })))
  }`)
  return address
}
