// Slow: a browser opens accounts, signs and reads.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { REAL_WORLD } from '../operator/real-world.ts'
import { runCommand } from '../operator/run-command.ts'
import { settingsFolder } from '../settings-folder.ts'
import {
  eventually,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
} from './fixture.ts'
import { injectWallets, setWalletMode } from './injected-wallets.ts'
import { privateAnswers } from './private-answers.ts'
import { keptSecrets } from './secrets.ts'

let fixture: PageFixture
beforeAll(async () => {
  fixture = await openPageFixture(STILL)
})
afterAll(() => fixture.stop())

async function openWithdraw(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.locator('.pages a[href$=withdraw]').click()
  await page.getByText('You can withdraw').waitFor()
}

test('a withdrawal is shown, signed by the account’s wallet, and listed until it is done', async () => {
  const { page, context, complaints, requests } = await openTrader(fixture)
  // The wallet that the page made is kept over a reload.
  await page.reload()
  await page.getByText('Free margin').first().waitFor()
  const answers = privateAnswers(page)
  await openWithdraw(page)
  await eventually(
    async () => (await page.locator('.pairs dd').first().textContent()) ?? '',
    (text) => text === '10,000.00 USDC',
  )
  const wrong = { '1': 'must be more than the fee', '10000.5': 'At most', '2.1234567': 'places' }
  for (const [amount, problem] of Object.entries(wrong)) {
    await page.getByLabel('Amount').fill(amount)
    await page.getByRole('status').filter({ hasText: problem }).waitFor()
    expect(await page.getByRole('button', { name: 'Withdraw' }).isDisabled()).toBe(true)
  }
  await page.getByLabel('Amount').fill('25')
  await page.getByRole('button', { name: 'Withdraw 25 USDC' }).click()
  await page.getByText('Withdraw: the wallet signs this').waitFor()
  await page.locator('dialog').getByText('24.00 USDC').waitFor()
  await page.locator('dialog').getByText('25000000').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  expect(requests.filter((request) => request.includes('/v1/withdraw_request'))).toEqual([])
  await page.getByRole('button', { name: 'Withdraw 25 USDC' }).click()
  await page.getByText('Sign in the wallet').click()
  await notice(page, /^Withdrawal \d+ is on its way: 24\.00 USDC to 0x/)
  await page.locator('.lists tbody tr').getByText('Withdrawal', { exact: true }).waitFor()
  const [row] = await eventually(
    async () => (await answers.of('/v1/asset/history?page=1&size=20')).rows,
    (rows) => rows.length === 2,
  )
  expect(row).toMatchObject({ side: 'WITHDRAW', amount: 25 })
  expect(complaints).toEqual([])
  await context.close()
})

test('a wallet of the browser signs on the chain, and another account of it does not', async () => {
  const { page, context } = await fixture.openFast('/favicon.svg')
  await injectWallets(context, 'sign')
  await page.goto(`${fixture.origin}/trade/withdraw`)
  await page.locator('.page').getByText('Connect', { exact: true }).click()
  await page.getByRole('button', { name: 'First Wallet' }).click()
  await signBothHere(page)
  await page.getByRole('button', { name: 'All', exact: true }).click()
  const all = page.getByRole('button', { name: /^Withdraw 10,?000 USDC · First Wallet$/ })
  await setWalletMode(page, 'reject')
  await all.click()
  await page.getByText('Sign in the wallet').click()
  await page.getByRole('alert').getByText('You declined in the wallet.').waitFor()
  await setWalletMode(page, 'other')
  await all.click()
  await page.getByText('Sign in the wallet').click()
  await notice(page, /^The signature does not fit\./)
  await setWalletMode(page, 'sign')
  await all.click()
  await page.getByText('Sign in the wallet').click()
  await notice(page, /^Withdrawal \d+ is on its way: 9,999\.00 USDC/)
  await context.close()
})

/** Agrees to both documents of an opening on a page beside trading. */
async function signBothHere(page: Page): Promise<void> {
  for (const text of ['Open the account: the', 'Bind the trading key: the']) {
    await page.getByText(text).waitFor()
    await page.getByText('Sign in the wallet').click()
  }
  await page.locator('dialog .primary').click()
  await page.getByText('You can withdraw').waitFor()
}

test('a throw-away wallet that is gone signs again with its file, and with no other', async () => {
  using folder = settingsFolder()
  const world = REAL_WORLD
  const argv = ['account', 'create', '--url', fixture.origin, '--json']
  const { lines } = await runCommand(folder, argv, {}, world)
  const { link, wallet } = JSON.parse(lines.join('\n'))
  const { page, context, requests } = await fixture.openFast('/favicon.svg')
  await page.goto(link)
  await page.getByText('Free margin').first().waitFor()
  await openWithdraw(page)
  const file = page.getByLabel('The wallet’s secret file').first()
  const named = (text: string) => ({
    name: 'secret',
    mimeType: 'text/plain',
    buffer: Buffer.from(text),
  })
  await file.setInputFiles(named('7'.repeat(64)))
  await notice(page, /^This file is not the secret/)
  await file.setInputFiles(named(`${wallet.secret}\n`))
  await page.getByLabel('Amount').fill('10')
  await page.getByRole('button', { name: 'Withdraw 10 USDC' }).click()
  await page.getByText('Sign in the wallet').click()
  await notice(page, /^Withdrawal \d+ is on its way/)
  expect(requests.join('\n')).not.toContain(wallet.secret)
  // The file signs until the page closes: the browser keeps nothing of it.
  expect(await keptSecrets(page)).toEqual({ rows: 0, isExtractable: null })
  await context.close()
})
