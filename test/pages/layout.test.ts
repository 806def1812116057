// Slow: a browser trades, and is measured.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { OpenedPage } from './browser.ts'
import { eventually, fillIn, openPageFixture, type PageFixture, ticket } from './fixture.ts'
import { openListsFixture } from './lists-fixture.ts'

type Box = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

async function boxOf(page: Page, selector: string): Promise<Box> {
  const box = await page.locator(selector).first().boundingBox()
  if (!box) throw new Error(`${selector} is not shown`)
  return box
}

function areApart(one: Box, other: Box): boolean {
  const isBeside = one.x + one.width <= other.x || other.x + other.width <= one.x
  const isAbove = one.y + one.height <= other.y || other.y + other.height <= one.y
  return isBeside || isAbove
}

describe('the trading page, as it is laid out', () => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  beforeAll(async () => {
    ;({ fixture, opened, page } = await openListsFixture())
  })
  afterAll(() => fixture.stop())

  const wide = () => page.setViewportSize({ width: 1440, height: 900 })
  const narrow = () => page.setViewportSize({ width: 390, height: 844 })

  test('keeps stars of markets below their heading while the list is scrolled', async () => {
    await page.setViewportSize({ width: 1440, height: 640 })
    const covering = await page.evaluate<string[]>(`(() => {
      const list = document.querySelector('.markets .scroll')
      list.scrollTop = 20
      const heads = [...list.querySelectorAll('th')].map((head) => head.getBoundingClientRect())
      const stars = [...list.querySelectorAll('.star')].map((star) => star.getBoundingClientRect())
      const under = stars.filter(({ y, height }) => y < heads[0].bottom && y + height > heads[0].top)
      const found = under.map(({ x, y, width, height }) => [x + width / 2, Math.max(y + height / 2, heads[0].top + 2)])
        .filter(([, y]) => y < heads[0].bottom)
        .map(([x, y]) => document.elementFromPoint(x, y).closest('th') ? 'head' : 'star')
      list.scrollTop = 0
      return found
    })()`)
    expect(covering.length).toBeGreaterThan(0)
    expect(covering).not.toContain('star')
    await wide()
  })

  test.each([
    [1440, 900],
    [1920, 1080],
    [1000, 900],
  ])('shows notices over no list, at %p by %p', async (width, height) => {
    await page.setViewportSize({ width, height })
    await fillIn(page, 'LIMIT', '1', '0.05')
    await page.locator('.ticket .types [data-name=MARKET]').click()
    await fillIn(page, 'MARKET', '0.5', '0.01')
    await ticket.submit(page).click()
    await page.locator('.note').first().waitFor()
    const note = await boxOf(page, '.note')
    for (const panel of ['.lists', '.markets', '.book', '.ticket'])
      expect([panel, areApart(note, await boxOf(page, panel))]).toEqual([panel, true])
    await page.locator('.note').first().getByLabel('Dismiss').click()
    await page.locator('.note').first().waitFor({ state: 'detached' })
  })

  test('puts texts at the left of their columns and figures at the right, below headings that stand as they do', async () => {
    await wide()
    await page.locator('.lists').getByRole('button', { name: 'Open orders' }).click()
    await page.locator('.lists tr[data-order]').waitFor()
    const sides = await page.evaluate<Record<string, readonly string[]>>(`Object.fromEntries(
      [...document.querySelectorAll('.lists th')].map((head, at) => {
        const cell = document.querySelector('.lists tbody tr').cells[at]
        return [head.textContent, [head, cell].map((each) => getComputedStyle(each).textAlign)]
      }))`)
    const [left, right] = [
      ['left', 'left'],
      ['right', 'right'],
    ] as const
    expect(sides).toMatchObject({ Side: left, Type: left, Status: left, Time: left })
    expect(sides).toMatchObject({ Price: right, Size: right, Filled: right })
  })

  test('draws the slider of the size across the ticket of a phone', async () => {
    await narrow()
    await page.locator('nav.tabs').getByText('Trade').click()
    const [slider, entry] = [
      await boxOf(page, '.shares input'),
      await boxOf(page, '.ticket .entry >> nth=1'),
    ]
    expect(slider.width).toBeCloseTo(entry.width, 0)
    expect((await boxOf(page, '[data-share="25"]')).y).toBeGreaterThan(slider.y)
    await wide()
    expect(opened.complaints).toEqual([])
  })
})

describe('an open dialog and the history of the browser', () => {
  let fixture: PageFixture
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture({ VENUE_CLOCK: 'virtual' })
    ;({ page } = await fixture.openFast('/trade/PERP_BTC_USDC'))
    await page.getByLabel('Search markets').fill('eth')
    await page.getByRole('button', { name: 'ETH', exact: true }).click()
    await page.getByRole('heading', { name: 'ETH-PERP' }).waitFor()
  })
  afterAll(() => fixture.stop())

  const dialog = () => page.locator('dialog')
  const entries = () => page.evaluate<number>('history.length')
  async function openKeys() {
    await page.getByRole('button', { name: 'Keys' }).click()
    await dialog().waitFor()
  }
  async function closed(close: () => Promise<unknown>) {
    await close()
    await dialog().waitFor({ state: 'detached' })
    await eventually(
      () => page.evaluate<unknown>('history.state'),
      (state) => state === null,
    )
  }

  test('close the dialog by Back, and leave the page where it was', async () => {
    await openKeys()
    await closed(() => page.goBack())
    expect(new URL(page.url()).pathname).toBe('/trade/PERP_ETH_USDC')
    await page.getByRole('heading', { name: 'ETH-PERP' }).waitFor()
  })

  test('hold no entry of a dialog that was closed otherwise, and none that Forward or a reload brings back', async () => {
    await openKeys()
    const most = await entries()
    await closed(() => page.keyboard.press('Escape'))
    await openKeys()
    await closed(() => dialog().getByLabel('Close').click())
    expect(await entries()).toBe(most)
    await closed(() => page.goForward())
    await openKeys()
    await closed(() => page.reload())
    await page.getByRole('heading', { name: 'ETH-PERP' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'BTC-PERP' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/trade/PERP_BTC_USDC')
  })

  test('follow a market that is chosen after the browser did not go back', async () => {
    await page.evaluate(`history.back = () => { delete history.back }`)
    await openKeys()
    await closed(() => page.keyboard.press('Escape'))
    const row = page.locator('.markets tbody tr[data-symbol=PERP_ETH_USDC] button')
    await row.filter({ hasText: /^ETH$/ }).click()
    await eventually(
      async () => new URL(page.url()).pathname,
      (path) => path === '/trade/PERP_ETH_USDC',
    )
    await page.goBack()
    await page.getByRole('heading', { name: 'BTC-PERP' }).waitFor()
  })

  test('lead to a market that is chosen while the entry of a closed dialog is being left', async () => {
    await openKeys()
    const row = '.markets tbody tr[data-symbol=PERP_SOL_USDC] button'
    await page.locator(row).first().waitFor()
    await page.evaluate(`{
      const { back } = History.prototype
      history.back = () => {
        delete history.back
        back.call(history)
        const isName = (button) => button.textContent.trim() === 'SOL'
        Array.from(document.querySelectorAll('${row}')).find(isName).click()
      }
    }`)
    await closed(() => page.keyboard.press('Escape'))
    await page.getByRole('heading', { name: 'SOL-PERP' }).waitFor()
    await eventually(
      async () => new URL(page.url()).pathname,
      (path) => path === '/trade/PERP_SOL_USDC',
    )
    await page.goBack()
    await page.getByRole('heading', { name: 'BTC-PERP' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/trade/PERP_BTC_USDC')
  })
})

describe('the operator’s console on a phone of 390', () => {
  const key = 'the-key-of-an-operator-in-this-test'
  let fixture: PageFixture
  beforeAll(async () => {
    fixture = await openPageFixture({ VENUE_CLOCK: 'virtual', OPERATOR_KEY: key })
  })
  afterAll(() => fixture.stop())

  test('breaks no word of its tables, and is no wider than the phone', async () => {
    await fixture.target.fetch('/api/prep/nothing-of-this-name')
    const { page } = await fixture.open('/favicon.svg', {
      width: 390,
      height: 844,
      scheme: 'light',
    })
    await page.goto(`${fixture.opsOrigin}/`)
    await page.getByLabel('Operator key').fill(key)
    await page.getByText('Use this key').click()
    for (const _ of ['asks', 'acts']) await page.locator('[data-action=purge-cache]').click()
    for (const row of ['[data-setting]', '[data-act]', '[data-request]'])
      await page.locator(row).first().waitFor()
    const broken = await page.evaluate<string[]>(`(() => {
      const found = []
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      for (let text = texts.nextNode(); text; text = texts.nextNode())
        for (const { 0: word, index } of text.data.matchAll(/[\\w:]+/g)) {
          const range = document.createRange()
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          const lines = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top))
          if (word.length <= 30 && new Set(lines).size > 1) found.push(word)
        }
      return found
    })()`)
    expect(broken).toEqual([])
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
  })
})
