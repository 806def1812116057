// Slow: a browser trades until it is warned.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { violationsInBoth } from './axe.ts'
import type { OpenedPage } from './browser.ts'
import {
  eventually,
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

const API = '**/api/prep/**'

describe('what concerns the whole page has one place, a sentence and an action', () => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture({ ...STILL, ...FEEDS['by polling'] })
    opened = await openTrader(fixture)
    ;({ page } = opened)
  })
  afterAll(() => fixture.stop())

  const banner = (text: string | RegExp): Locator =>
    page.locator('.banners p').filter({ hasText: text })

  async function isAccessible(): Promise<void> {
    expect(await violationsInBoth(page, '.banners')).toEqual([])
  }

  async function endKeyIn(ms: number): Promise<void> {
    await page.evaluate<void>(`new Promise((resolve) => {
      const open = indexedDB.open('trading-keys')
      open.onsuccess = () => {
        const store = open.result.transaction('trading-keys', 'readwrite').objectStore('trading-keys')
        store.getAll().onsuccess = ({ target }) => {
          store.put({ ...target.result[0], expiresAtMs: Date.now() + ${ms} }).onsuccess = () => {
            new BroadcastChannel('trading-keys').postMessage(null)
            resolve()
          }
        }
      }
    })`)
  }

  test('a key that ends soon', async () => {
    expect(await banner('The trading key ends').count()).toBe(0)
    await endKeyIn(26 * 3_600_000)
    await banner('The trading key ends in 26 h.').waitFor()
    await isAccessible()
    await banner('The trading key ends in 26 h.')
      .getByRole('button', { name: 'Bind a new key' })
      .click()
    await page.getByText('Use a throw-away wallet').waitFor()
    await page.keyboard.press('Escape')
    await endKeyIn(20 * 86_400_000)
    await gone(banner('The trading key ends'))
  })

  test('a position near its liquidation, and no other', async () => {
    await fillIn(page, 'MARKET', '0.5', '0.1')
    await ticket.submit(page).click()
    await notice(page, /^Filled/)
    await page.locator('.lists tr[data-symbol=PERP_ETH_USDC]').waitFor()
    expect(await banner('from its liquidation').count()).toBe(0)
    await page.route('**/api/prep/relay', async (route) => {
      if (!route.request().postData()?.includes('"/v1/positions"')) return route.continue()
      const answer = await route.fetch()
      const json = await answer.json()
      const rows = json.rows.map((row: { mark_price: number }) => ({
        ...row,
        est_liq_price: row.mark_price * 0.97,
      }))
      await route.fulfill({ response: answer, json: { ...json, rows } })
    })
    await banner(/^ETH is 3\.0% from its liquidation\./).waitFor()
    await isAccessible()
    await banner(/^ETH is 3\.0% from its liquidation\./)
      .getByRole('button', { name: 'Close a part' })
      .click()
    await page.locator('dialog').getByText('Size to close').waitFor()
    await page.keyboard.press('Escape')
    await page.unrouteAll({ behavior: 'wait' })
    await gone(banner('from its liquidation'))
  })

  test('prices that are old though nothing failed', async () => {
    // Any answer would show the page that its clock was moved.
    await page.route(API, () => undefined)
    const again = banner(/^Prices are \d+ (?:s|min) old\./).getByRole('button', {
      name: 'Look again',
    })
    // What was under way at the first step is as old only at the next.
    await eventually(
      async () => {
        await page.evaluate('window.aheadMs += 60000')
        return again.isVisible()
      },
      (isOld) => isOld,
    )
    await isAccessible()
    await page.unroute(API)
    await page.evaluate('window.aheadMs = 0')
    await gone(banner('Prices are'))
  })

  test('maintenance of the venue, and what it announces, whose links lead only to the web', async () => {
    await page.route('**/api/prep/op/platform.status', (route) =>
      route.fulfill({ json: { status: 2, msg: 'Back at noon.' } }),
    )
    const row = (id: string, url: string) => ({
      announcement_id: id,
      message: `Listing ${id}`,
      url,
      updated_time: Date.now(),
    })
    const rows = [
      row('7', 'https://example.org/seven'),
      row('8', 'javascript:alert(1)'),
      { ...row('9', ''), updated_time: Date.now() - 15 * 86_400_000 },
    ]
    await page.route('**/api/prep/op/platform.announcementsV2', (route) =>
      route.fulfill({ json: { rows } }),
    )
    await page.reload()
    await banner('The venue says: Back at noon.')
      .getByRole('button', { name: 'Look again' })
      .waitFor()
    await banner('Listing 7').getByRole('link', { name: 'More' }).waitFor()
    await banner('Listing 8').waitFor()
    await isAccessible()
    expect(await banner('Listing 8').getByRole('link').count()).toBe(0)
    expect(await banner('Listing 9').count()).toBe(0)
    await banner('Listing 7').getByRole('button', { name: 'Dismiss' }).click()
    await gone(banner('Listing 7'))
    await page.reload()
    await banner('Listing 8').waitFor()
    expect(await banner('Listing 7').count()).toBe(0)
    expect(opened.complaints).toEqual([])
  })
})

describe('the book and the trades', () => {
  let fixture: PageFixture
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    ;({ page } = await openTrader(fixture))
  })
  afterAll(() => fixture.stop())

  type Level = { readonly price: string; readonly quantity: string }

  /** The levels that are shown of each side of the venue's book, best first. */
  async function venueBook() {
    const answer = await fixture.target.fetch('/api/prep/orderbook?symbol=PERP_ETH_USDC')
    const { asks, bids }: { asks: Level[]; bids: Level[] } = Object(await answer.json())
    const shown = async (side: string) => page.locator(`.${side} .level`).count()
    const value = (levels: Level[]) =>
      levels.reduce((sum, { price, quantity }) => sum + Number(price) * Number(quantity), 0)
    const [sold, bought] = [asks.slice(0, await shown('asks')), bids.slice(0, await shown('bids'))]
    return { all: [asks.length, bids.length], sell: value(sold), buy: value(bought) }
  }

  const numbersOf = async (texts: Promise<string[]>) =>
    (await texts).map((text) => Number(text.replaceAll(',', '')))

  test('fill the height that there is with levels, as far as the venue has them', async () => {
    for (const height of [700, 1000]) {
      await page.setViewportSize({ width: 1440, height })
      await eventually(
        async () => {
          const { all } = await venueBook()
          const box = await page.locator('.book .levels').boundingBox()
          const room = Math.floor(((box?.height ?? 0) - 34) / 2 / 19)
          return [await page.locator('.asks .level').count(), Math.min(room, all[0] ?? 0)]
        },
        ([shown, wanted]) => shown === wanted,
      )
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('show sizes by value, cumulated, and who offers more, as the venue has it', async () => {
    const cells = (side: string) => page.locator(`.${side} .level > :nth-child(3)`)
    await page.locator('.book').getByRole('button', { name: 'Size ETH' }).click()
    await eventually(
      async () => {
        const { sell, buy } = await venueBook()
        const [top = 0] = await numbersOf(cells('asks').allTextContents())
        const bottom = (await numbersOf(cells('bids').allTextContents())).at(-1) ?? 0
        const share = Math.round((100 * buy) / (buy + sell))
        const isBalanced =
          (await page.locator('.balance').textContent()) === `Buy ${share}%${100 - share}% Sell`
        return [Math.abs(top - sell), Math.abs(bottom - buy), isBalanced] as const
      },
      ([top, bottom, isBalanced]) => top <= 1 && bottom <= 1 && isBalanced,
    )
    await page.locator('.book').getByRole('button', { name: 'Size USDC' }).click()
  })

  test('have the last price between the sides, and a new trade flashes where motion is welcome', async () => {
    await page.locator('.book').getByRole('button', { name: 'Trades' }).click()
    expect(await page.locator('.tape .new').count()).toBe(0)
    await fillIn(page, 'MARKET', '0.5', '0.05')
    await page.locator('.sides [data-name=SELL]').click()
    await ticket.submit(page).click()
    await notice(page, /^Filled/)
    const trade = page.locator('.tape .new.SELL').first()
    const animation = () =>
      trade.evaluate((row) =>
        String(Reflect.get(globalThis, 'getComputedStyle')(row).animationName),
      )
    expect(await animation()).toBe('flash')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await animation()).toBe('none')
    // Other tests trade in this market too.
    const last = async () => (await page.title()).split(' ')[0] ?? ''
    const top = page.locator('.tape .scroll > div').first().locator('span').first()
    await eventually(
      async () => [await last(), await top.textContent()],
      ([title, price]) => title === price,
    )
    await page.locator('.tape').getByRole('button', { name: 'Order book' }).click()
    await eventually(
      async () => [await last(), await page.locator('.between b').textContent()],
      ([title = '', shown]) => shown?.slice(2) === title,
    )
  })
})
