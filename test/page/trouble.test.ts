import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { BrowserContext, Page, Route } from 'playwright-core'
import {
  agree,
  buyAtMarket,
  cuttable,
  eventually,
  gone,
  list,
  openPageRig,
  openThrowAway,
  PATIENCE_MS,
  type PageRig,
  placeResting,
  WAYS,
} from './rig.ts'

setDefaultTimeout(PATIENCE_MS)

const RELAY = '**/api/prep/relay'

describe.each(WAYS)('when something is wrong, the trading page: %s', (_, settings) => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await openPageRig(settings)
  })
  afterAll(() => rig.stop())

  test('finds an order whose answer was lost, and there is one', async () => {
    const { page, context } = await rig.visit('/trade/PERP_ETH_USDC')
    await openThrowAway(page)
    let sent = 0
    await onWrites(context, async (route) => {
      sent += 1
      await route.fetch()
      await route.abort('connectionreset')
    })
    await placeResting(page, '0.05')
    await agree(page)
    await page.getByText('The answer was lost, but the order is at the venue: Open.').waitFor()
    await list(page, 'orders').click()
    await eventually(
      () => page.locator('tr[data-order]').count(),
      (count) => count === 1,
    )
    expect(sent).toBe(1)
    await context.close()
  })

  test('repeats the very same bytes after an order that never arrived, and nothing else', async () => {
    const { page, context } = await rig.visit('/trade/PERP_ETH_USDC')
    await openThrowAway(page)
    const bodies: string[] = []
    await onWrites(context, async (route) => {
      bodies.push(route.request().postData() ?? '')
      await (bodies.length === 1 ? route.abort('connectionreset') : route.continue())
    })
    await placeResting(page, '0.05')
    await agree(page)
    await page.getByText('The answer was lost, and the venue has no such order.').waitFor()
    await page.getByText('Send the same bytes again').click()
    await page.getByText('Accepted: Buy 0.05 ETH.').waitFor()
    expect(new Set(bodies).size).toBe(1)
    expect(bodies.length).toBe(2)
    await context.close()
  })

  test.each([
    [502, 'upstream_unavailable', 'The venue cannot be reached.'],
    [503, 'upstream_busy', 'The venue is busy.'],
    [503, 'of_tomorrow', 'A sentence of the server.'],
  ])('tells of %p %s, and recovers without a reload', async (status, code, sentence) => {
    const { page, context } = await rig.visit('/favicon.svg')
    const live = await cuttable(page)
    await page.goto(`${rig.origin}/trade`)
    await page.locator('.bids .level').first().waitFor()
    const json = { code, error: 'A sentence of the server.' }
    await page.route('**/api/prep/**', (route) => route.fulfill({ status, json }))
    await live.cut()
    await page.locator('.banners').getByText(sentence).waitFor()
    // What was there stays, and says how old it is.
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

  test('leads to a new key when the venue no longer takes the old one', async () => {
    const { page, context } = await rig.visit('/trade')
    await openThrowAway(page)
    await page.route(RELAY, (route) =>
      route.fulfill({ status: 401, json: { code: 'unauthorized', error: '' } }),
    )
    await page.getByText('The venue no longer takes the trading key.').waitFor()
    await page.unroute(RELAY)
    await bindAnew(page)
    await page.getByText('Collateral').waitFor()
    await context.close()
  })

  test('leads to a new key when the old one has expired', async () => {
    const { page, context } = await rig.visit('/trade')
    await openThrowAway(page)
    await page.evaluate<void>(`new Promise((resolve) => {
      const open = indexedDB.open('trading-keys')
      open.onsuccess = () => {
        const store = open.result.transaction('trading-keys', 'readwrite').objectStore('trading-keys')
        store.getAll().onsuccess = ({ target }) => {
          store.put({ ...target.result[0], expiresAtMs: Date.now() - 1 }).onsuccess = () => {
            new BroadcastChannel('trading-keys').postMessage(null)
            resolve()
          }
        }
      }
    })`)
    await page.getByText('The trading key has expired.').waitFor()
    await bindAnew(page)
    await page.getByText('Collateral').waitFor()
    await context.close()
  })

  test('names a clock that is off before a signature fails, and trades once it is right', async () => {
    const { page, context, requests } = await rig.visit('/trade/PERP_ETH_USDC')
    await openThrowAway(page)
    await page.evaluate(
      '{ const real = Date.now; window.aheadMs = 600000; Date.now = () => real() + window.aheadMs }',
    )
    await page.getByText('This device’s clock is 10 min ahead').waitFor()
    const before = writesIn(requests)
    await buyAtMarket(page, '0.04')
    await page
      .getByText('This device’s clock is too far off: nothing was signed.')
      .first()
      .waitFor()
    expect(writesIn(requests)).toBe(before)
    await page.evaluate('window.aheadMs = 0')
    await gone(page.getByText('This device’s clock is 10 min'))
    await buyAtMarket(page, '0.04')
    await page.locator('.lists tr[data-symbol=PERP_ETH_USDC]').waitFor()
    await context.close()
  })

  test('offers the value that keeps a market’s rules', async () => {
    const { page, context } = await rig.visit('/trade/PERP_ETH_USDC')
    await openThrowAway(page)
    await placeAnywhere(page, '1', '0.05')
    await page.getByText('The price is too far from the mark price.').waitFor()
    await page.locator('.ticket .warn').getByRole('button').first().click()
    await gone(page.locator('.ticket .warn'))
    // Away from the edge, where a mark that moves makes no price wrong again.
    const best = Number(await page.locator('.bids .level').first().getAttribute('data-price'))
    await placeAnywhere(page, String(Math.floor(best * 0.95)), '0.00001')
    await page.locator('.ticket .warn').getByRole('button').first().click()
    await gone(page.locator('.ticket .warn'))
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

async function bindAnew(page: Page): Promise<void> {
  await page.locator('.banners').getByText('Bind a new key').click()
  await page.getByText('Use a throw-away wallet').click()
  await page.getByText('Bind the trading key: the wallet signs this').waitFor()
  await page.getByText('Sign in the wallet').click()
  await page.getByText('The account is open').waitFor()
  await page.locator('dialog .primary').click()
}

async function placeAnywhere(page: Page, price: string, size: string): Promise<void> {
  await page.locator('.types [data-name=LIMIT]').click()
  await page.locator('.ticket .entry input').nth(0).fill(price)
  await page.locator('.ticket .entry input').nth(1).fill(size)
}

/** How many writes went to the relay. */
function writesIn(requests: readonly string[]): number {
  return requests.filter((text) => text.includes('/relay ') && !text.includes('"method":"GET"'))
    .length
}

/** Puts something between the page and the relay, for writes alone. */
async function onWrites(context: BrowserContext, act: (route: Route) => Promise<void>) {
  await context.route(RELAY, async (route) => {
    const isWrite = !route.request().postData()?.includes('"method":"GET"')
    await (isWrite ? act(route) : route.continue())
  })
}
