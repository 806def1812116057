import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Visit } from './browser.ts'
import {
  list,
  openPageRig,
  openThrowAway,
  PATIENCE_MS,
  type PageRig,
  placeResting,
  ticket,
} from './rig.ts'

setDefaultTimeout(PATIENCE_MS)

describe('a notice says what became of', () => {
  let rig: PageRig
  let visit: Visit
  let page: Page
  beforeAll(async () => {
    rig = await openPageRig()
    visit = await rig.visit('/trade/PERP_ETH_USDC')
    page = visit.page
    await openThrowAway(page)
    await page.getByLabel('Show what is signed first').uncheck()
    await page.locator('.bids .level').first().waitFor()
  })
  afterAll(async () => {
    await visit.context.close()
    await rig.stop()
  })

  /** The last notice that reads so, which is then dismissed. */
  async function notice(text: RegExp): Promise<void> {
    const note = page.locator('.note').filter({ hasText: text })
    await note.first().waitFor()
    for (const button of await page.locator('.note').getByLabel('Dismiss').all())
      await button.click({ timeout: 1000 }).catch(() => undefined)
  }

  async function place(type: string, price: number, size: string): Promise<void> {
    await page.locator(`.types [data-name=${type}]`).click()
    await ticket.first(page).fill(price.toFixed(1))
    await ticket.size(page).fill(size)
    await ticket.submit(page).click()
  }

  async function best(side: 'asks' | 'bids'): Promise<number> {
    const rows = page.locator(`.${side} .level`)
    const level = side === 'asks' ? rows.last() : rows.first()
    return Number(await level.getAttribute('data-price'))
  }

  test.each([
    ['POST_ONLY', 1.002, '0.05', /^Cancelled: it would have taken\.✕?$/],
    ['FOK', 0.99, '0.05', /^Cancelled: the book did not fill all of it\.✕?$/],
    ['IOC', 0.99, '0.05', /^Cancelled: there was nothing to take at [\d.,]+ or better\.✕?$/],
    ['IOC', 1.01, '0.05', /^Filled 0\.0500 ETH at [\d.,]+\.✕?$/],
    ['LIMIT', 1.01, '0.05', /^Filled 0\.0500 ETH at [\d.,]+\.✕?$/],
  ])('an order %s at %d of the best', async (type, factor, size, text) => {
    await place(type, (await best('asks')) * factor, size)
    await notice(text)
  })

  test('a market order, and of a position that is closed', async () => {
    await page.locator('.types [data-name=MARKET]').click()
    await ticket.first(page).fill('0.5')
    await ticket.size(page).fill('0.05')
    await ticket.submit(page).click()
    await notice(/^Filled 0\.0500 ETH at [\d.,]+\./)
    await page.locator('tr[data-symbol=PERP_ETH_USDC] td[data-size="0.15"]').waitFor()
    await page.getByRole('button', { name: 'Close ETH' }).click()
    await notice(/^Filled 0\.1500 ETH at [\d.,]+\./)
  })

  test('an order that rests, is changed, and is cancelled', async () => {
    const price = await placeResting(page, '0.05')
    await notice(/^Rests at [\d.,]+: 0\.0500 ETH\./)
    await list(page, 'orders').click()
    await page.locator(`tr[data-order] td[data-price="${price}"]`).waitFor()
    await page.getByRole('button', { name: /^Edit order/ }).click()
    await page.locator('dialog .entry input').nth(1).fill('0.06')
    await page.locator('dialog').getByText('Change', { exact: true }).click()
    await notice(/^Changed\. Rests at [\d.,]+: 0\.0600 ETH\./)
    await page.getByRole('button', { name: /^Cancel order/ }).click()
    await notice(/^Cancelled: 0\.0600 ETH\./)
  })

  test('leverage', async () => {
    await page.getByLabel('Leverage').selectOption('20')
    await notice(/^Leverage of ETH is 20×\./)
    await page
      .getByLabel('Leverage')
      .locator('option:checked')
      .getByText('20×')
      .waitFor({ state: 'attached' })
  })

  test('leverage that the venue did not take', async () => {
    await page.route('**/api/prep/relay', async (route) => {
      const isSetting = route
        .request()
        .postData()
        ?.includes('"method":"POST","path":"/v1/client/leverages"')
      await (isSetting ? route.fulfill({ json: { leverage: 50 } }) : route.continue())
    })
    await page.getByLabel('Leverage').selectOption('50')
    await notice(/^Leverage of ETH stays 20×\./)
    await page.unroute('**/api/prep/relay')
  })

  test('an order whose fate cannot be read', async () => {
    await page.route('**/api/prep/relay', async (route) => {
      const isReading = route.request().postData()?.includes('"path":"/v1/order/')
      await (isReading ? route.abort('connectionreset') : route.continue())
    })
    await placeResting(page, '0.05')
    await notice(/^Accepted\. What became of it could not be read/)
    await page.unroute('**/api/prep/relay')
    expect(visit.complaints.filter((text) => !text.includes('ERR_CONNECTION_RESET'))).toEqual([])
  })
})
