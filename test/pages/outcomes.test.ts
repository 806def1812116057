import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { OpenedPage } from './browser.ts'
import {
  agree,
  bestPrice,
  FEEDS,
  fillIn,
  inLocale,
  list,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  placeResting,
  STILL,
  ticket,
} from './fixture.ts'

describe('a notice says what became of', () => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    opened = await openTrader(fixture)
    page = opened.page
  })
  afterAll(() => fixture.stop())

  async function place(type: string, first: string, size: string): Promise<void> {
    await fillIn(page, type, first, size)
    await ticket.submit(page).click()
  }

  test.each([
    ['POST_ONLY', 1.002, '0.05', /^Cancelled: it would have taken\.✕?$/],
    ['FOK', 0.99, '0.05', /^Cancelled: the book did not fill all of it\.✕?$/],
    ['IOC', 0.99, '0.05', /^Cancelled: nothing to take at [\d.,]+ or better\.✕?$/],
    ['IOC', 1.01, '0.05', /^Filled: Buy 0\.0500 ETH at [\d.,]+\.✕?$/],
    ['LIMIT', 1.01, '0.05', /^Filled: Buy 0\.0500 ETH at [\d.,]+\.✕?$/],
  ])('an order %s at %d of the best', async (type, factor, size, text) => {
    await place(type, ((await bestPrice(page, 'asks')) * factor).toFixed(1), size)
    await notice(page, text)
  })

  test('a market order, and of a position that is closed', async () => {
    await place('MARKET', '0.5', '0.05')
    await notice(page, /^Filled: Buy 0\.0500 ETH at [\d.,]+\./)
    await page.locator('tr[data-symbol=PERP_ETH_USDC] td[data-size="0.15"]').waitFor()
    await page.getByRole('button', { name: 'Market close of ETH' }).click()
    await notice(page, /^Filled: Sell 0\.1500 ETH at [\d.,]+\./)
  })

  // Slow: a position is opened, reversed and closed through the page.
  test('a position that is reversed, closed by a share, and closed with all others', async () => {
    const held = (size: string) =>
      page.locator(`tr[data-symbol=PERP_ETH_USDC] td[data-size="${size}"]`).waitFor()
    const dialog = page.locator('dialog')
    const estimate = () =>
      dialog.locator('.pairs div', { hasText: 'Est. price' }).locator('dd').textContent()
    await list(page, 'positions').click()
    await place('MARKET', '0.5', '0.08')
    await held('0.08')
    expect(await page.getByRole('button', { name: 'Close all' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Reverse ETH' }).click()
    await dialog.getByText('Long 0.08 → Short 0.08 ETH').waitFor()
    await agree(page)
    await notice(page, /^Filled: Sell 0\.1600 ETH at [\d.,]+\./)
    await held('-0.08')
    await page.getByRole('button', { name: 'Close… ETH' }).click()
    await dialog.locator('[data-share="25"]').click()
    expect(await dialog.locator('.entry input').inputValue()).toBe('0.02')
    // A short is closed by what the book offers, not at the mark.
    expect(await estimate()).toBe(await inLocale(page, await bestPrice(page, 'asks')))
    await dialog.getByRole('button', { name: 'Close position' }).click()
    await notice(page, /^Filled: Buy 0\.0200 ETH at [\d.,]+\./)
    await held('-0.06')
    await page.locator('.markets').getByRole('button', { name: 'BTC', exact: true }).click()
    await page.getByRole('heading', { name: 'BTC-PERP' }).waitFor()
    await place('MARKET', '0.5', '0.01')
    await page.locator('tr[data-symbol=PERP_BTC_USDC] td[data-size="0.01"]').waitFor()
    // The book that is shown is of another market.
    await page.getByRole('button', { name: 'Close… ETH' }).click()
    const entryAndMark = page.locator('.lists tr[data-symbol=PERP_ETH_USDC] td').nth(2)
    expect(await entryAndMark.textContent()).toEndWith((await estimate()) ?? 'none')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Close all' }).click()
    await dialog.getByText('Unrealized PnL').waitFor()
    await dialog.getByRole('button', { name: 'Close 2 positions' }).click()
    await dialog.getByText('Closed: 2 of 2.').waitFor()
    await dialog.locator('.primary').click()
    await page.getByText('No open positions.').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'ETH-PERP' }).waitFor()
  })

  test('an order that rests, is changed, and is cancelled', async () => {
    const price = await placeResting(page, '0.05')
    await notice(page, /^Rests at [\d.,]+: Buy 0\.0500 ETH\./)
    await list(page, 'orders').click()
    await page.locator(`tr[data-order] td[data-price="${price}"]`).waitFor()
    await page.getByRole('button', { name: /^Edit order/ }).click()
    await page.locator('dialog .entry input').nth(1).fill('0.06')
    await page.locator('dialog').getByText('Change', { exact: true }).click()
    await notice(page, /^Changed\. Rests at [\d.,]+: Buy 0\.0600 ETH\./)
    await page.getByRole('button', { name: /^Cancel order/ }).click()
    await notice(page, /^Cancelled: Buy 0\.0600 ETH\./)
  })

  async function chooseLeverage(leverage: string): Promise<void> {
    const dialog = page.locator('dialog')
    await page.getByRole('button', { name: /^Margin mode and leverage/ }).click()
    await dialog.getByRole('button', { name: leverage, exact: true }).click()
    await dialog.getByRole('button', { name: 'Sign and set' }).click()
  }

  test('leverage', async () => {
    await chooseLeverage('20×')
    await notice(page, /^Leverage of ETH is 20×\./)
    await page.getByRole('button', { name: 'Margin mode and leverage: cross 20×' }).waitFor()
  })

  test('leverage that the venue did not take', async () => {
    await page.route('**/api/prep/relay', async (route) => {
      const isSetting = route
        .request()
        .postData()
        ?.includes('"method":"POST","path":"/v1/client/leverages"')
      await (isSetting ? route.fulfill({ json: { leverage: 50 } }) : route.continue())
    })
    await chooseLeverage('50×')
    await notice(page, /^Leverage of ETH stays 20×\./)
    await page.unroute('**/api/prep/relay')
  })

  test('an order whose fate cannot be read', async () => {
    const polled = await openPageFixture({ ...STILL, ...FEEDS['by polling'] })
    const other = await openTrader(polled)
    await other.page.route('**/api/prep/relay', async (route) => {
      const isReading = route.request().postData()?.includes('"path":"/v1/order/')
      await (isReading ? route.abort('connectionreset') : route.continue())
    })
    await placeResting(other.page, '0.05')
    await notice(other.page, /^Accepted\. Its outcome is unknown/)
    await polled.stop()
    expect(opened.complaints.filter((text) => !text.includes('ERR_CONNECTION_RESET'))).toEqual([])
  })
})
