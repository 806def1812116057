import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DESKTOP } from './browser.ts'
import { openPageFixture, type PageFixture } from './fixture.ts'

describe('the reference', () => {
  let fixture: PageFixture
  beforeAll(async () => {
    fixture = await openPageFixture({})
  })
  afterAll(() => fixture.stop())

  // Slow: the whole reference is drawn.
  test('shows endpoints first with the guides beside them, and executes a read', async () => {
    const { page, context, complaints } = await fixture.open('/swagger')
    const [guide, endpoints] = [
      page.locator('.information-container'),
      page.locator('#operations-tag-market'),
    ]
    await endpoints.waitFor()
    const [beside, first] = [await guide.boundingBox(), await endpoints.boundingBox()]
    expect(beside?.x).toBeGreaterThan((first?.x ?? 0) + (first?.width ?? 0))
    expect(first?.y).toBeLessThan(DESKTOP.height / 2)
    await endpoints.click()
    await page.locator('#operations-market-markets .opblock-summary-control').click()
    await page.locator('#operations-market-markets .execute').click()
    await page
      .locator('#operations-market-markets .live-responses-table')
      .getByText('200')
      .first()
      .waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  // Slow: the whole reference is drawn.
  test.each(['socket', 'events'])('has nothing to execute for %s, which has no end', async (id) => {
    const { page, context } = await fixture.open('/swagger')
    await page.locator('#operations-tag-stream').click()
    await page.locator(`#operations-stream-${id} .opblock-summary-control`).click()
    await page.locator(`#operations-stream-${id} .responses-wrapper`).waitFor()
    expect(await page.locator(`#operations-stream-${id} :is(.execute, .try-out)`).count()).toBe(0)
    await context.close()
  })

  test('subscribes to a topic, shows its messages, and stops', async () => {
    const { page, context, complaints } = await fixture.open('/swagger/streams')
    await page.locator('#topic').selectOption('orderbook:{symbol}')
    await page.locator('#symbol').fill('PERP_ETH_USDC')
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page
      .locator('#messages')
      .getByText('"topic":"orderbook:PERP_ETH_USDC","type":"snapshot"')
      .waitFor()
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByText('Unsubscribed.').waitFor()
    await page.locator('#symbol').fill('none')
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page.locator('#messages').getByText('"code":"not_found"').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })
})
