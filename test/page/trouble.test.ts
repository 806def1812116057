import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cuttable, eventually, gone, openPageRig, PATIENCE_MS, type PageRig, WAYS } from './rig.ts'

setDefaultTimeout(PATIENCE_MS)

describe.each(WAYS)('when something is wrong, the trading page: %s', (_, settings) => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await openPageRig(settings)
  })
  afterAll(() => rig.stop())

  test.each([
    [502, 'upstream_unavailable', 'The venue cannot be reached.'],
    [503, 'upstream_busy', 'The venue is busy.'],
    [503, 'of_tomorrow', 'A sentence of the server.'],
  ])('tells of %p %s, and recovers without a reload', async (status, code, sentence) => {
    const { page, context } = await rig.hurry('/favicon.svg')
    const live = await cuttable(page)
    await page.goto(`${rig.origin}/trade`)
    await page.locator('.bids .level').first().waitFor()
    const json = { code, error: 'A sentence of the server.' }
    await page.route('**/api/prep/**', (route) => route.fulfill({ status, json }))
    await live.cut()
    await page.locator('.banners').getByText(sentence).waitFor()
    // What was there stays, and says how old it is.
    await page.evaluate('window.aheadMs = 6000')
    await page.locator('.book .stale').waitFor()
    await page.locator('.bids .level').first().waitFor()
    await page.unroute('**/api/prep/**')
    live.mend()
    await gone(page.locator('.banners .notice'))
    await gone(page.locator('.book .stale'))
    await context.close()
  })

  test('says that it is offline, and goes on by itself', async () => {
    const { page, context } = await rig.visit('/trade')
    await page.locator('.bids .level').first().waitFor()
    await context.setOffline(true)
    await page.getByText('Offline.').waitFor()
    await context.setOffline(false)
    await gone(page.getByText('Offline.'))
    await context.close()
  })
})

describe.each(WAYS)('with little left of its rate limits, the trading page: %s', (_, settings) => {
  test('waits as long as the server asks, says so, and goes on', async () => {
    // Less than the page would ask, however slowly it begins.
    const rig = await openPageRig({ ...settings, LIMIT_READ: '90/60s burst 2' })
    const { page, context, requests } = await rig.visit('/trade')
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
    await context.close()
    await rig.stop()
  })
})
