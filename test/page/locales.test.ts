import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { DESKTOP } from './browser.ts'
import {
  agree,
  list,
  openPageRig,
  openThrowAway,
  PATIENCE_MS,
  type PageRig,
  ticket,
} from './rig.ts'

setDefaultTimeout(PATIENCE_MS)

describe('the trading page in another language', () => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await openPageRig()
  })
  afterAll(() => rig.stop())

  test.each([
    ['de-DE', '1.125', ['Use 1125', 'Use 1,125']],
    ['fr-FR', '1,2,5', []],
    ['en-IN', '1,5', ['Use 1.5']],
    ['ar-EG', '1,5', ['Use 1.5']],
  ])('sends what %s writes, and refuses %s', async (locale, unclear, corrections) => {
    const { page, context } = await rig.visit('/favicon.svg', { ...DESKTOP, locale })
    await datedByCache(page)
    await page.goto(`${rig.origin}/trade/PERP_ETH_USDC`)
    await openThrowAway(page)
    await page.locator('.bids .level').first().waitFor()
    const best = await page.locator('.bids .level').first().getAttribute('data-price')
    const price = Math.floor(Number(best) * 0.99)
    await ticket.first(page).fill(await inLocale(page, price))
    await ticket.size(page).fill(unclear)
    expect(await ticket.size(page).getAttribute('aria-invalid')).toBe('true')
    expect(await ticket.submit(page).isDisabled()).toBe(true)
    const offered = page.locator('.field').nth(1).locator('[role=status] button')
    expect(await offered.allTextContents()).toEqual(corrections)
    await ticket.size(page).fill(await inLocale(page, 0.05))
    expect(await ticket.size(page).getAttribute('aria-invalid')).toBe('false')
    await ticket.submit(page).click()
    expect(await page.locator('.bytes').textContent()).toContain(
      `"order_quantity":0.05,"order_price":${price}`,
    )
    await agree(page)
    await list(page, 'orders').click()
    await page.locator(`tr[data-order] td[data-price="${price}"]`).waitFor()
    await page.locator('tr[data-order] td[data-size="0.05"]').waitFor()
    expect(await page.getByText('This device’s clock').count()).toBe(0)
    await context.close()
  })
})

/** Dates every answer but the one that measures the clock a quarter of an hour back, as a cache would. */
async function datedByCache(page: Page): Promise<void> {
  await page.route('**/api/prep/*', async (route) => {
    const response = await route.fetch()
    const date = new Date(Date.now() - 900_000).toUTCString()
    await route.fulfill({ response, headers: { ...response.headers(), date } })
  })
}

/** A number as the browser writes it for its reader, with places: `2.412` alone would be two numbers in Germany. */
function inLocale(page: Page, value: number): Promise<string> {
  return page.evaluate<string>(`(${value}).toLocaleString(undefined, { minimumFractionDigits: 2 })`)
}
