// Slow: a browser signs orders whose answers are lost, and finds them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import {
  eventually,
  FEED_NAMES,
  FEEDS,
  list,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  placeResting,
  STILL,
} from './fixture.ts'

const RELAY = '**/api/prep/relay'

describe.each(FEED_NAMES)('an order whose answer is lost, on the trading page: %s', (feed) => {
  let fixture: PageFixture
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture({ ...STILL, ...FEEDS[feed] })
    page = (await openTrader(fixture)).page
  })
  afterAll(() => fixture.stop())

  test('is found at the venue, and was sent once', async () => {
    let sent = 0
    await onWrites(page, async (route) => {
      sent += 1
      await route.fetch()
      await route.abort('connectionreset')
    })
    await placeResting(page, '0.05')
    await notice(page, /^The answer was lost, but the order is at the venue: Open\./)
    await list(page, 'orders').click()
    await eventually(
      () => page.locator('tr[data-order]').count(),
      (count) => count === 1,
    )
    expect(sent).toBe(1)
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('is repeated with the very same bytes after it never arrived, and with nothing else', async () => {
    const bodies: string[] = []
    await onWrites(page, async (route) => {
      bodies.push(route.request().postData() ?? '')
      await (bodies.length === 1 ? route.abort('connectionreset') : route.continue())
    })
    await placeResting(page, '0.07')
    await page.getByText('The answer was lost, and the venue has no such order.').waitFor()
    await page.getByText('Send the same bytes again').click()
    await notice(page, /^Rests at .*: Buy 0\.0700 ETH\.✕$/)
    expect(new Set(bodies).size).toBe(1)
    expect(bodies.length).toBe(2)
  })
})

/** Puts something between the page and the relay, for writes alone. */
async function onWrites(page: Page, act: (route: Route) => Promise<void>) {
  await page.route(RELAY, async (route) => {
    const isWrite = !route.request().postData()?.includes('"method":"GET"')
    await (isWrite ? act(route) : route.continue())
  })
}
