// Slow: a browser opens an account with limits.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { MANDATE_PATH } from '../../src/contract/act-paths.ts'
import { askToLimit, newUser, post, signedBody, WALLETS } from '../surface/wallets.ts'
import {
  bestPrice,
  fillIn,
  gone,
  list,
  openPageFixture,
  type PageFixture,
  STILL,
  ticket,
} from './fixture.ts'

const ETH = 'PERP_ETH_USDC'

describe('the ticket of an account with signed limits', () => {
  let fixture: PageFixture
  let page: Page
  let openMarket: (symbol: string) => Promise<void>
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    const wallet = WALLETS.viem()
    const { accountId, secret } = await newUser(fixture.target, wallet)
    const limits = {
      ...{ maxOrderUsdc: '200', approveAboveUsdc: '100', maxPositionUsdc: '300' },
      ...{ maxLossUsdc: '5000', maxLeverage: 4 },
    }
    const signed = await signedBody(wallet, await askToLimit(fixture.target, wallet, limits, false))
    expect((await post(fixture.target, '/api/prep/mandate', signed)).status).toBe(200)
    ;({ page } = await fixture.openFast('/favicon.svg'))
    const fields = new URLSearchParams({
      ...{ account: accountId, wallet: String(signed.address).toLowerCase() },
      key: Buffer.from(secret).toString('hex'),
    })
    openMarket = async (symbol) => {
      await page.goto(`${fixture.origin}/trade/${symbol}#${fields}`)
      await page.getByRole('button', { name: /^Margin mode and leverage/ }).waitFor()
    }
    await openMarket(ETH)
  })
  afterAll(() => fixture.stop())

  const notice = (code: string) => page.locator(`#obstacle [data-code=${code}]`)

  test('says which limit an order would exceed, and offers the largest size within it', async () => {
    const writes: string[] = []
    page.on('request', (request) => {
      if (/"method":"(?:POST|PUT)"/.test(request.postData() ?? '')) writes.push(request.url())
    })
    await fillIn(page, 'MARKET', '0.5', '0.2')
    await notice('mandate_exceeded').getByText('allow 200 USDC per order').waitFor()
    await notice('mandate_exceeded').getByRole('button').click()
    await gone(notice('mandate_exceeded'))
    expect(Number(await ticket.size(page).inputValue())).toBeLessThan(0.1)
    expect(Number(await ticket.size(page).inputValue())).toBeGreaterThan(0.05)
    expect(writes).toEqual([])
  })

  test('says that an order needs approval, and nothing of a smaller one or one that reduces', async () => {
    await fillIn(page, 'MARKET', '0.5', '0.06')
    await notice('approval_required').getByText('Needs approval').waitFor()
    await ticket.size(page).fill('0.02')
    await gone(notice('approval_required'))
    expect(await notice('mandate_exceeded').count()).toBe(0)
    expect(await ticket.submit(page).isEnabled()).toBe(true)
  })

  test('sends an order that needs figures of the account, which the page reads for it, and no larger one', async () => {
    await page.getByLabel('Show what is signed first').uncheck()
    await fillIn(page, 'MARKET', '0.5', '0.02')
    await ticket.submit(page).click()
    await page
      .getByText(/^Filled/)
      .first()
      .waitFor()
    expect(await notice('mandate_exceeded').count()).toBe(0)
  })

  const shown = (code: string) => page.locator(`dialog [data-code=${code}]`)

  test('says in the edit of an order what limits would refuse or have approved, before it is signed', async () => {
    const price = String(Math.floor((await bestPrice(page, 'bids')) - 10))
    await fillIn(page, 'LIMIT', price, '0.02')
    await ticket.submit(page).click()
    await list(page, 'orders').click()
    await page
      .locator('.lists')
      .getByRole('button', { name: /^Edit order/ })
      .first()
      .click()
    const edits: string[] = []
    page.on('request', (request) => {
      if (/"method":"PUT"/.test(request.postData() ?? '')) edits.push(request.url())
    })
    const size = page.locator('dialog').getByLabel('Size')
    expect(await shown('approval_required').count()).toBe(0)
    await size.fill('0.06')
    await shown('approval_required').getByText('Needs approval').waitFor()
    await size.fill('0.2')
    await shown('mandate_exceeded').getByText('allow 200 USDC per order').waitFor()
    await shown('mandate_exceeded').getByRole('button').click()
    await gone(shown('mandate_exceeded'))
    expect(Number(await size.inputValue())).toBeGreaterThan(0.05)
    expect(edits).toEqual([])
    await page.locator('dialog').getByRole('button', { name: 'Cancel' }).click()
  })

  test('asks before a position is reversed with what limits say, and says nothing to its close', async () => {
    await list(page, 'positions').click()
    const act = (name: string) => page.locator('.lists').getByRole('button', { name }).click()
    await act('Reverse ETH')
    await shown('approval_required').waitFor()
    await page.locator('dialog').getByRole('button', { name: 'Cancel' }).click()
    // Large enough that an order of this size would need an approval if it opened something.
    for (const held of ['0.0400', '0.0600']) {
      await fillIn(page, 'MARKET', '0.5', '0.02')
      await ticket.submit(page).click()
      await page.locator('.lists tbody').getByText(held).waitFor()
    }
    await page.getByLabel('Show what is signed first').check()
    await act('Close… ETH')
    await page.locator('dialog').getByLabel('Size').fill('0.05')
    await page.locator('dialog button[type=submit]').click()
    await page.locator('dialog').getByRole('button', { name: 'Sign and send' }).waitFor()
    expect(await shown('approval_required').count()).toBe(0)
    expect(await shown('mandate_exceeded').count()).toBe(0)
    await page.locator('dialog').getByRole('button', { name: 'Sign and send' }).click()
    await page.locator('.lists tbody').getByText('0.0100').waitFor()
    await act('Reverse ETH')
    await page.locator('dialog').getByRole('button', { name: 'Sign and send' }).waitFor()
    expect(await shown('approval_required').count()).toBe(0)
    await page.locator('dialog').getByRole('button', { name: 'Cancel' }).click()
  })

  test('says in the dialog of margin mode and leverage what limits refuse, and nothing before a change', async () => {
    const writes: string[] = []
    page.on('request', (request) => {
      if (/"method":"POST"/.test(request.postData() ?? '')) writes.push(request.url())
    })
    await page.getByRole('button', { name: /^Margin mode and leverage/ }).click()
    expect(await shown('mandate_exceeded').count()).toBe(0)
    await page.locator('dialog').getByRole('button', { name: '2×', exact: true }).click()
    await page.locator('dialog').getByText('2×').first().waitFor()
    expect(await shown('mandate_exceeded').count()).toBe(0)
    expect(await shown('approval_required').count()).toBe(0)
    await page.locator('dialog').getByRole('button', { name: '5×', exact: true }).click()
    await shown('mandate_exceeded').getByText('allow a leverage of 4×').waitFor()
    expect(writes).toEqual([])
  })
  test('sets a margin mode at a leverage within limits, although the mode has a higher one before', async () => {
    await openMarket('PERP_BTC_USDC')
    await page.getByLabel('Show what is signed first').uncheck()
    await page.getByRole('button', { name: /^Margin mode and leverage/ }).click()
    await page.locator('dialog').getByRole('button', { name: 'Isolated' }).click()
    await shown('mandate_exceeded').getByText('allow a leverage of 4×').waitFor()
    await page.locator('dialog').getByRole('button', { name: '2×', exact: true }).click()
    await gone(shown('mandate_exceeded'))
    await page.locator('dialog').getByRole('button', { name: 'Sign and set' }).click()
    await page.getByRole('button', { name: 'Margin mode and leverage: isolated 2×' }).waitFor()
  })

  test('names lost records by the code with which the relay refuses, not by that of a limit', async () => {
    await page.route('**/api/prep/relay', async (route) => {
      const { path } = JSON.parse(route.request().postData() ?? '{}')
      if (path !== MANDATE_PATH) return route.fallback()
      const response = await route.fetch()
      const json = { ...(await response.json()), recordsLost: 'Records were lost.' }
      return route.fulfill({ response, json })
    })
    await openMarket(ETH)
    await fillIn(page, 'MARKET', '0.5', '0.02')
    await notice('not_available').getByText('Records were lost').waitFor()
    expect(await notice('mandate_exceeded').count()).toBe(0)
  })
})
