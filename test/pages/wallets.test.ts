// Slow: a browser opens pages with wallets, which sign.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually, openPageFixture, type PageFixture, STILL, signBoth } from './fixture.ts'
import { injectWallets, setWalletMode, type WalletMode } from './injected-wallets.ts'

let fixture: PageFixture
beforeAll(async () => {
  fixture = await openPageFixture(STILL)
})
afterAll(() => fixture.stop())

describe('a wallet that', () => {
  const open = async (mode: WalletMode) => {
    const opened = await fixture.openFast('/favicon.svg')
    await injectWallets(opened.context, mode)
    await opened.page.goto(`${fixture.origin}/trade`)
    await opened.page.locator('header').getByText('Connect', { exact: true }).click()
    return opened
  }

  test('declines opens nothing, and may be asked again; all are chosen by their names, which are text', async () => {
    const { page, context, requests } = await open('reject')
    await eventually(
      () => page.locator('.wallets button').allTextContents(),
      (names) =>
        Bun.deepEquals(names, ['First Wallet', '<b>Second</b>', 'Use a throw-away wallet']),
    )
    await page.getByRole('button', { name: 'First Wallet' }).click()
    await page.getByText('Open the account: the wallet signs this').waitFor()
    await page.getByText('Sign in the wallet').click()
    await page.getByText('You declined in the wallet.').waitFor()
    expect(requests.filter((request) => request.includes('/register '))).toEqual([])
    await setWalletMode(page, 'sign')
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
    const { page, context } = await fixture.openFast('/favicon.svg')
    await page.addInitScript(script)
    await page.goto(`${fixture.origin}/trade`)
    await page.locator('.banners').getByText(sentence).waitFor()
    await page.locator('.bids .level').first().waitFor()
    await page.locator('header').getByText('Connect', { exact: true }).click()
    await page.locator('dialog').getByText(sentence).waitFor()
    await context.close()
  },
)
