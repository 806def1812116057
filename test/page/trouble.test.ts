import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { OpenedPage } from './browser.ts'
import {
  cuttable,
  eventually,
  FEED_NAMES,
  FEEDS,
  gone,
  openPageFixture,
  openThrowAway,
  type PageFixture,
  STILL,
  TIMEOUT_MS,
} from './fixture.ts'

setDefaultTimeout(TIMEOUT_MS)

describe.each(FEED_NAMES)('when something is wrong, the trading page: %s', (feed) => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  let live: Awaited<ReturnType<typeof cuttable>>
  beforeAll(async () => {
    fixture = await openPageFixture(FEEDS[feed])
    opened = await fixture.openFast('/favicon.svg')
    page = opened.page
    live = await cuttable(page)
    await page.goto(`${fixture.origin}/trade`)
    await page.locator('.bids .level').first().waitFor()
  })
  afterAll(() => fixture.stop())

  test.each([
    [502, 'upstream_unavailable', 'The venue cannot be reached.'],
    [503, 'upstream_busy', 'The venue is busy.'],
    [503, 'of_tomorrow', 'A sentence of the server.'],
  ])('names %p %s, and recovers without a reload', async (status, code, sentence) => {
    const json = { code, error: 'A sentence of the server.' }
    await page.route('**/api/prep/**', (route) => route.fulfill({ status, json }))
    await live.cut()
    await page.locator('.banners').getByText(sentence).waitFor()
    // What was there stays, and says how old it is.
    await page.evaluate('window.aheadMs = 6000')
    await page.locator('.book .stale').waitFor()
    await page.locator('.bids .level').first().waitFor()
    await page.unroute('**/api/prep/**')
    await page.evaluate('window.aheadMs = 0')
    live.mend()
    await gone(page.locator('.banners .notice'))
    await gone(page.locator('.book .stale'))
  })

  test('says that it is offline, and goes on by itself', async () => {
    await opened.context.setOffline(true)
    await page.getByText('Offline.').waitFor()
    await opened.context.setOffline(false)
    await gone(page.getByText('Offline.'))
  })
})

describe('with little left of its rate limits, the trading page', () => {
  test.concurrent.each(FEED_NAMES)(
    'waits as long as the server asks, says so, and goes on: %s',
    async (feed) => {
      // Less than the page would ask, however slowly it begins.
      const limits = { LIMIT_READ: '90/60s burst 2' }
      const fixture = await openPageFixture({ ...FEEDS[feed], ...limits })
      const { page, requests } = await fixture.open('/trade')
      await page.getByText('Too many calls; this one was not carried out.').first().waitFor()
      await page.locator('.bids .level').first().waitFor()
      await page.locator('.markets tbody tr').first().waitFor()
      const [before, beganMs] = [requests.length, performance.now()]
      await eventually(
        async () => performance.now() - beganMs,
        (passedMs) => passedMs > 3000,
      )
      const allowed = (1.5 * (performance.now() - beganMs)) / 1000
      // Three in two seconds are allowed: whoever ignored a refusal would ask more.
      expect(requests.length - before).toBeLessThan(allowed + 6)
      await fixture.stop()
    },
  )

  test.concurrent('posts the same bytes again to open an account, once the server’s time is over', async () => {
    const fixture = await openPageFixture(STILL)
    const { page } = await fixture.openFast('/trade')
    const bodies: (string | null)[] = []
    await page.route('**/api/prep/register', async (route) => {
      bodies.push(route.request().postData())
      const json = { code: 'rate_limited', error: '' }
      if (bodies.length > 1) await route.continue()
      else await route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json })
    })
    await openThrowAway(page)
    expect(bodies).toHaveLength(2)
    expect(bodies[1]).toBe(bodies[0] ?? '')
    await fixture.stop()
  })
})
