import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { OpenedPage } from './browser.ts'
import {
  FEED_NAMES,
  FEEDS,
  fillIn,
  gone,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
  ticket,
} from './fixture.ts'

const RELAY = '**/api/prep/relay'

describe.each(FEED_NAMES)('what signatures need, on the trading page: %s', (feed) => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture({ ...STILL, ...FEEDS[feed] })
    opened = await openTrader(fixture)
    page = opened.page
  })
  afterAll(() => fixture.stop())

  // Slow: a wallet binds a second key before it trades again.
  test('leads to a new key when the venue no longer takes the old one', async () => {
    await page.route(RELAY, (route) =>
      route.fulfill({ status: 401, json: { code: 'unauthorized', error: '' } }),
    )
    await page.getByText('The venue no longer takes the trading key.').waitFor()
    await page.unroute(RELAY)
    await bindAnew(page)
    await page.getByText('Collateral').waitFor()
  })

  test('leads to a new key when the old one has expired', async () => {
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
  })

  // Slow: orders are placed before and after the clock was found to be off.
  test('names a clock that is off before a signature fails, and trades once it is right', async () => {
    await page.evaluate('window.aheadMs = 600000')
    await page.getByText('This device’s clock is 10 min ahead').waitFor()
    const before = writesIn(opened.requests)
    await buy()
    await notice(page, /This device’s clock is too far off: nothing was signed\./)
    expect(writesIn(opened.requests)).toBe(before)
    await page.evaluate('window.aheadMs = 0')
    await gone(page.getByText('This device’s clock is'))
    await buy()
    await page.locator('.lists tr[data-symbol=PERP_ETH_USDC]').waitFor()
  })

  // Slow: the clock is found to be off three times.
  test('signs with the server’s time after one consent, and asks again when the clock is off by more', async () => {
    await page.evaluate('window.aheadMs = 600000')
    await page.getByText('This device’s clock is 10 min ahead').waitFor()
    await page.getByRole('button', { name: 'Sign with the server’s time' }).click()
    await notice(page, /signs with the server’s time, 10 min behind this device’s clock/)
    await gone(page.getByText('This device’s clock is 10 min ahead'))
    const before = writesIn(opened.requests)
    await page.getByRole('button', { name: 'Market close of ETH' }).click()
    await gone(page.locator('.lists tr[data-symbol=PERP_ETH_USDC]'))
    expect(writesIn(opened.requests)).toBe(before + 1)
    const [, stampMs] = /"timestamp":"(\d+)"/.exec(lastWrite(opened.requests)) ?? []
    expect(Math.abs(Number(stampMs) - Date.now())).toBeLessThan(60_000)
    await page.evaluate('window.aheadMs = 1200000')
    await page.getByText('This device’s clock is 20 min ahead').waitFor()
    await buy()
    await notice(page, /This device’s clock is too far off: nothing was signed\./)
    expect(writesIn(opened.requests)).toBe(before + 1)
    await page.evaluate('window.aheadMs = 0')
    await gone(page.getByText('This device’s clock is'))
  })

  async function buy(): Promise<void> {
    await fillIn(page, 'MARKET', '0.5', '0.04')
    await ticket.submit(page).click()
  }
})

async function bindAnew(page: Page): Promise<void> {
  await page.locator('.banners').getByText('Bind a new key').click()
  await page.getByText('Use a throw-away wallet').click()
  await page.getByText('Bind the trading key: the wallet signs this').waitFor()
  await page.getByText('Sign in the wallet').click()
  await page.getByText('The account is open').waitFor()
  await page.locator('dialog .primary').click()
}

function lastWrite(requests: readonly string[]): string {
  return writes(requests).at(-1) ?? ''
}

/** How many writes went to the relay. */
function writesIn(requests: readonly string[]): number {
  return writes(requests).length
}

function writes(requests: readonly string[]): readonly string[] {
  return requests.filter((text) => text.includes('/relay ') && !text.includes('"method":"GET"'))
}
