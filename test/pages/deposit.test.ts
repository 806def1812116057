// Slow: a browser, a server and an EVM node start, and a wallet signs.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import type { Address } from 'viem'
import { CHAIN_ID, type DepositChain, openDepositChain } from '../evm/deposits.ts'
import { injectChainWallet } from './chain-wallet.ts'
import {
  eventually,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
} from './fixture.ts'
import { privateAnswers } from './private-answers.ts'

/** The broker of servers that are not given one. */
const BROKER = 'demo'

let fixture: PageFixture
let place: DepositChain
beforeAll(async () => {
  ;[fixture, place] = await Promise.all([openPageFixture(STILL), openDepositChain(BROKER)])
})
afterAll(async () => {
  await Promise.all([fixture.stop(), place.chain.stop()])
})

/** A wallet before the test's chain; a page opens before a venue that it takes for a live one on that chain. */
async function openOnChain(context: BrowserContext, page: Page): Promise<Address> {
  const address = await injectChainWallet(context, place.chain)
  await context.addInitScript(`new MutationObserver(() => {
    document.querySelector('meta[name=venue]')?.setAttribute('content', 'live')
  }).observe(document, { childList: true, subtree: true })`)
  await page.route('**/api/prep/deposit-chains', (route) =>
    route.fulfill({
      json: {
        rows: [
          {
            ...{ chainId: CHAIN_ID, name: 'Arbitrum', vault: place.vault, usdc: place.usdc },
            ...{ explorer: '', nativeSymbol: 'ETH', withdrawalFee: 1, decimals: 6 },
          },
        ],
      },
    }),
  )
  return address
}

test('a deposit goes through the wallet into the vault for the account, whose address is shown nowhere', async () => {
  const { page, context, complaints } = await fixture.openFast('/favicon.svg')
  const address = await openOnChain(context, page)
  await place.fill(address, 60_000_000n)
  await page.goto(`${fixture.origin}/trade/deposit`)
  await page.locator('.page').getByText('Connect', { exact: true }).click()
  await page.getByRole('button', { name: 'Test Wallet' }).click()
  for (const text of ['Open the account: the', 'Bind the trading key: the']) {
    await page.getByText(text).waitFor()
    await page.getByText('Sign in the wallet').click()
  }
  await page.locator('dialog .primary').click()
  await page.getByRole('button', { name: 'Look', exact: true }).click()
  await page.getByText('60.00 USDC').waitFor()
  await page.getByLabel('Amount').fill('61')
  await page.getByText('The wallet has 60.00 USDC on this chain.').waitFor()
  await page.getByLabel('Amount').fill('25.5')
  await page.evaluate('window.declines = true')
  await page.getByRole('button', { name: 'Deposit 25.5 USDC' }).click()
  await page.getByRole('alert').getByText('You declined in the wallet.').waitFor()
  expect(await place.balanceOf(place.vault)).toBe(0n)
  await page.evaluate('window.declines = false')
  await page.getByRole('button', { name: 'Deposit 25.5 USDC' }).click()
  await notice(page, /^Deposited 25\.50 USDC: .* Transaction 0x[0-9a-f]{64}\.✕$/)
  expect(await place.balanceOf(place.vault)).toBe(25_500_000n)
  expect(await place.allowanceOf(address)).toBe(0n)
  await page.getByText('34.50 USDC').waitFor()
  expect((await page.content()).toLowerCase()).not.toContain(place.vault.toLowerCase())
  // That a new wallet has no account yet is an answer of status 404.
  expect(complaints.filter((text) => !text.includes('404'))).toEqual([])
  await context.close()
})

test('the simulated venue has a faucet, which fills an account up and no further', async () => {
  const { page, context, complaints } = await openTrader(fixture)
  const answers = privateAnswers(page)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.locator('.pages a[href$=deposit]').click()
  await page.getByRole('button', { name: 'Fill up' }).click()
  await notice(page, /^The account has 10,000 USDC or more already\./)
  await page.locator('.pages a[href$=withdraw]').click()
  await page.getByLabel('Amount').fill('1000')
  await page.getByRole('button', { name: /^Withdraw 1,?000 USDC$/ }).click()
  await page.getByText('Sign in the wallet').click()
  await notice(page, /^Withdrawal \d+ is on its way/)
  await page.locator('.pages a[href$=deposit]').click()
  await page.getByRole('button', { name: 'Fill up' }).click()
  await notice(page, /^1,000\.00 USDC were added\./)
  const [row] = await eventually(
    async () => (await answers.of('/v1/asset/history?page=1&size=20')).rows,
    (rows) => rows.length === 3,
  )
  expect(row).toMatchObject({ side: 'DEPOSIT', amount: 1000 })
  expect(complaints).toEqual([])
  await context.close()
})
