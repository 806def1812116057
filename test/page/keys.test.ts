import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  buyAtMarket,
  gone,
  openPageRig,
  openThrowAway,
  PATIENCE_MS,
  type PageRig,
  WAYS,
} from './rig.ts'

setDefaultTimeout(PATIENCE_MS)

const RELAY = '**/api/prep/relay'

describe.each(WAYS)('what signatures need, on the trading page: %s', (_, settings) => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await openPageRig(settings)
  })
  afterAll(() => rig.stop())

  test('leads to a new key when the venue no longer takes the old one', async () => {
    const { page, context } = await rig.hurry('/trade')
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
    const { page, context } = await rig.hurry('/trade')
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
    const { page, context, requests } = await rig.hurry('/trade/PERP_ETH_USDC')
    await openThrowAway(page)
    await page.evaluate('window.aheadMs = 600000')
    await page.getByText('This device’s clock is 10 min ahead').waitFor()
    const before = writesIn(requests)
    await buyAtMarket(page, '0.04')
    await page
      .getByText('This device’s clock is too far off: nothing was signed.')
      .first()
      .waitFor()
    expect(writesIn(requests)).toBe(before)
    await page.evaluate('window.aheadMs = 0')
    await gone(page.getByText('This device’s clock is'))
    await buyAtMarket(page, '0.04')
    await page.locator('.lists tr[data-symbol=PERP_ETH_USDC]').waitFor()
    await context.close()
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

/** How many writes went to the relay. */
function writesIn(requests: readonly string[]): number {
  return requests.filter((text) => text.includes('/relay ') && !text.includes('"method":"GET"'))
    .length
}
