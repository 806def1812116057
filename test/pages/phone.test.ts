// Slow: a browser opens accounts and trades.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { OpenedPage } from './browser.ts'
import {
  bestPrice,
  cuttable,
  eventually,
  FEEDS,
  fillIn,
  LASTING,
  openPageFixture,
  openThrowAway,
  type PageFixture,
  submittable,
  ticket,
} from './fixture.ts'

/** What the keyboard of a phone covers, with a row for its suggestions. */
const KEYBOARD_HEIGHT = 336

/** How much of an element can be seen and pressed: the share of nine points of it at which it is the uppermost. */
function shareInSight(page: Page, selector: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const element = document.querySelector('${selector}')
    const { x, y, width, height } = element.getBoundingClientRect()
    const points = [0.1, 0.5, 0.9].flatMap((across) => [0.1, 0.5, 0.9].map((down) => [x + across * width, y + down * height]))
    return points.filter(([left, top]) => element.contains(document.elementFromPoint(left, top))).length / points.length
  })()`)
}

describe.each([
  [390, 844],
  [360, 640],
])('on a phone of %p by %p', (width, height) => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  let live: Awaited<ReturnType<typeof cuttable>>
  beforeAll(async () => {
    fixture = await openPageFixture(FEEDS['by stream'])
    opened = await fixture.openFast('/favicon.svg')
    page = opened.page
    await page.addInitScript(LASTING)
    live = await cuttable(page)
    // That the markets are made up, and that there is no such market, takes some lines above the chart.
    await page.goto(`${fixture.origin}/trade/PERP_NOPE_USDC`)
    await openThrowAway(page)
    await page.getByLabel('Show what is signed first').uncheck()
    await page.setViewportSize({ width, height })
  })
  afterAll(() => fixture.stop())

  const tab = (name: string) => page.locator('nav.tabs').getByText(name).click()

  test.each([
    ['Chart', '.chart'],
    ['Markets', '.markets'],
  ])('%s lies above the tabs down to its last row', async (name, panel) => {
    await tab(name)
    await page.locator('.banners .announcement').waitFor()
    await page.locator('.banners .notice').waitFor()
    const [box, tabs] = await Promise.all(
      [panel, '.tabs'].map((each) => page.locator(each).boundingBox()),
    )
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(tabs?.y ?? 0)
    expect(box?.height).toBeGreaterThanOrEqual(320)
    expect(await shareInSight(page, panel)).toBe(1)
  })

  test('the time axis of the chart is in sight', async () => {
    await tab('Chart')
    await page.locator('.chart .canvas td canvas').first().waitFor()
    expect(await shareInSight(page, '.chart .canvas tr:last-child td:nth-child(2)')).toBe(1)
  })

  test('a position is found where it is traded, and a number names it where it is listed', async () => {
    const account = page.locator('nav.tabs').getByText('Account')
    const held = page.locator('.ticket .held')
    await tab('Trade')
    expect([await held.count(), await account.textContent()]).toEqual([0, 'Account'])
    await fillIn(page, 'MARKET', '0.5', '0.001')
    await submittable(page)
    await ticket.submit(page).click()
    await held.getByText(/^Long 0.0010* BTC$/).waitFor()
    await page.evaluate('scrollTo(0, 0)')
    await page.locator('.note').getByLabel('Dismiss').click()
    expect(await shareInSight(page, '.ticket .held')).toBe(1)
    expect(await account.textContent()).toBe('Account1')
    expect(await page.locator('.ticket .free').textContent()).toMatch(
      /^Free margin 9,\d{3}\.\d\d USDC$/,
    )
    if (height > 800) expect(await shareInSight(page, '.ticket .free b')).toBe(1)
    await held.getByText('TP/SL').click()
    // Typing begins in a stop, above where the keyboard of a phone would cover it.
    const stop = page.locator('dialog').getByLabel('SL % below entry')
    expect(await page.evaluate('document.activeElement.id')).toBe(await stop.getAttribute('id'))
    const box = await stop.boundingBox()
    expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThan(height - KEYBOARD_HEIGHT)
    await page.keyboard.type('5')
    await page.locator('dialog').getByRole('button', { name: 'Sign and set' }).click()
    await page.locator('.note').getByText('Protects the whole position: SL').waitFor()
    await page.locator('.note').getByLabel('Dismiss').click()
    // Below the chart, which it leaves room, as well.
    await tab('Chart')
    expect(await shareInSight(page, '.chart .held')).toBe(1)
    await eventually(
      () => shareInSight(page, '.chart .canvas tr:last-child td:nth-child(2)'),
      (share) => share === 1,
    )
    await page.locator('.chart .held').getByText('TP/SL').click()
    await page.locator('dialog').getByLabel('SL % below entry').waitFor()
    await page.keyboard.press('Escape')
    // Beside the lists it would be there twice.
    await page.setViewportSize({ width: 720, height })
    expect(await page.locator('.held').filter({ visible: true }).count()).toBe(0)
    await page.setViewportSize({ width, height })
  })

  test('three notices leave the button that places an order in sight, and each can be read', async () => {
    await tab('Trade')
    await page.evaluate('scrollTo(0, 0)')
    expect(await shareInSight(page, '.ticket .submit')).toBe(1)
    const best = Math.floor((await bestPrice(page, 'bids')) * 0.99)
    const prices = [best, best - 1, best - 2]
    for (const [at, price] of prices.entries()) {
      await fillIn(page, 'LIMIT', String(price), '0.001')
      await submittable(page)
      await ticket.submit(page).click()
      await page.locator('.note').nth(at).waitFor()
    }
    await page.evaluate('scrollTo(0, 0)')
    await eventually(
      () => page.evaluate<number>('scrollY'),
      (y) => y === 0,
    )
    expect(await shareInSight(page, '.ticket .submit')).toBe(1)
    for (const price of prices.toReversed()) {
      const newest = page.locator('.note:last-child')
      await newest.getByText(`Rests at ${price.toLocaleString('en')}.0:`).waitFor()
      expect(await shareInSight(page, '.note:last-child')).toBe(1)
      await newest.getByLabel('Dismiss').click()
    }
    await page.locator('.note').first().waitFor({ state: 'detached' })
    expect(opened.complaints).toEqual([])
  })

  test('a book that is old says so and covers nothing', async () => {
    await tab('Trade')
    await page.route('**/api/prep/**', (route) => route.fulfill({ status: 502, json: {} }))
    await live.cut()
    await page.evaluate('window.aheadMs = 6000')
    await page.locator('.book .stale').waitFor()
    await page.evaluate('scrollTo(0, 0)')
    for (const part of ['.stale', '.head h2', '.head select', '.between b'])
      expect([part, await shareInSight(page, `.book ${part}`)]).toEqual([part, 1])
  })
})
