import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { WALLETS } from '../surface/wallets.ts'
import { eventually, openPageRig, PATIENCE_MS, type PageRig, signBoth } from './rig.ts'

setDefaultTimeout(PATIENCE_MS)

let rig: PageRig
beforeAll(async () => {
  rig = await openPageRig()
})
afterAll(() => rig.stop())

describe('a wallet that', () => {
  const open = async (mode: string) => {
    const opened = await rig.visit('/favicon.svg')
    await injectWallets(opened.context, mode)
    await opened.page.goto(`${rig.origin}/trade`)
    await opened.page.locator('header').getByText('Connect', { exact: true }).click()
    return opened
  }

  test('declines opens nothing, and may be asked again', async () => {
    const { page, context, requests } = await open('reject')
    await page.getByRole('button', { name: 'First Wallet' }).click()
    await page.getByText('Open the account: the wallet signs this').waitFor()
    await page.getByText('Sign in the wallet').click()
    await page.getByText('You declined in the wallet.').waitFor()
    expect(requests.filter((request) => request.includes('/register '))).toEqual([])
    await setMode(page, 'sign')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'First Wallet' }).click()
    await signBoth(page)
    await context.close()
  })

  test('is on another chain is offered those of the venue', async () => {
    const { page, context, requests } = await open('far')
    await page.getByRole('button', { name: 'First Wallet' }).click()
    await page.getByText('The wallet is on a chain that this venue does not take.').waitFor()
    expect(requests.filter((request) => request.includes('/typed-data'))).toEqual([])
    await page
      .getByText(/^Switch to /)
      .first()
      .click()
    await page.getByRole('button', { name: 'First Wallet' }).click()
    await signBoth(page)
    await context.close()
  })

  test('signs with another account than it names is told so', async () => {
    const { page, context } = await open('other')
    await page.getByRole('button', { name: 'First Wallet' }).click()
    await page.getByText('Open the account: the wallet signs this').waitFor()
    await page.getByText('Sign in the wallet').click()
    await page.getByText('The wallet signed with another account than the one it named.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await context.close()
  })

  test('is not the only one is chosen by its name, which is text', async () => {
    const { page, context } = await open('sign')
    await eventually(
      () => page.locator('.wallets button').allTextContents(),
      (names) =>
        Bun.deepEquals(names, ['First Wallet', '<b>Second</b>', 'Use a throw-away wallet']),
    )
    await context.close()
  })

  test('gets no document that the page did not ask for', async () => {
    const { page, context, requests } = await open('sign')
    await page.route('**/api/prep/typed-data', async (route) => {
      const answer = Object(await (await route.fetch()).json())
      const typedData = answer.typedData.replace('"chainId":42161', '"chainId":1')
      await route.fulfill({ json: { ...answer, typedData } })
    })
    await page.getByRole('button', { name: 'First Wallet' }).click()
    await page.getByText('Nothing was signed.').waitFor()
    expect(requests.filter((request) => request.includes('/register '))).toEqual([])
    expect(
      await page.evaluate<number>('window.asked.filter((name) => name.includes("sign")).length'),
    ).toBe(0)
    await context.close()
  })
})

test.each([
  [
    'crypto.subtle.generateKey = () => Promise.reject(new DOMException("no", "NotSupportedError"))',
    'Trading needs Ed25519',
  ],
  [
    'Object.defineProperty(window, "isSecureContext", { value: false })',
    'Trading needs a secure address',
  ],
  [
    'indexedDB.open = () => { throw new DOMException("no", "SecurityError") }',
    'Trading needs IndexedDB',
  ],
])(
  'a browser without something it takes shows prices, and says what is missing: %s',
  async (script, sentence) => {
    const { page, context } = await rig.visit('/favicon.svg')
    await page.addInitScript(script)
    await page.goto(`${rig.origin}/trade`)
    await page.locator('.banners').getByText(sentence).waitFor()
    await page.locator('.bids .level').first().waitFor()
    await page.locator('header').getByText('Connect', { exact: true }).click()
    await page.locator('dialog').getByText(sentence).waitFor()
    await context.close()
  },
)

function setMode(page: Page, mode: string): Promise<unknown> {
  return page.evaluate(`window.walletMode = '${mode}'`)
}

/** Two wallets that announce themselves; the first does as it is told. */
async function injectWallets(context: BrowserContext, mode: string): Promise<void> {
  const [wallet, other] = [WALLETS.ethers(), WALLETS.ethers()]
  await context.exposeFunction('signOutside', (typedData: string, isOther: boolean) =>
    (isOther ? other : wallet).sign(typedData),
  )
  await context.addInitScript(`{
    window.walletMode = '${mode}'
    window.asked = []
    const refuse = () => { throw Object.assign(new Error('User rejected'), { code: 4001 }) }
    const answers = {
      eth_requestAccounts: () => ['${wallet.address}'],
      eth_chainId: () => window.walletMode === 'far' ? '0x539' : '0xa4b1',
      wallet_switchEthereumChain: () => { window.walletMode = 'sign'; return null },
      eth_signTypedData_v4: ([, typedData]) =>
        window.walletMode === 'reject' ? refuse() : window.signOutside(typedData, window.walletMode === 'other'),
    }
    const provider = { request: async ({ method, params }) => { window.asked.push(method); return answers[method](params) } }
    const announce = (uuid, name) => dispatchEvent(new CustomEvent('eip6963:announceProvider', {
      detail: Object.freeze({ info: { uuid, name, icon: 'javascript:1', rdns: uuid }, provider }),
    }))
    addEventListener('eip6963:requestProvider', () => { announce('first', 'First Wallet'); announce('second', '<b>Second</b>') })
  }`)
}
