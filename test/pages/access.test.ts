import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { violations, violationsInBoth } from './axe.ts'
import { DARK, DESKTOP, type Look, type OpenedPage, PHONE } from './browser.ts'
import {
  bestPrice,
  fillIn,
  modeShown,
  notice,
  openPageFixture,
  openThrowAway,
  type PageFixture,
  placeResting,
  STILL,
  submittable,
  ticket,
} from './fixture.ts'

const LOOKS: readonly (readonly [string, Look])[] = [
  ['light', DESKTOP],
  ['dark', DARK],
  ['phone', PHONE],
]

/** The pages beside trading, each with a text that stands there once it is complete. */
const BESIDE = [
  ['portfolio', 'Download as CSV'],
  ['deposit', 'Deposits and withdrawals'],
  ['withdraw', 'Deposits and withdrawals'],
  ['swap', 'Highest slippage'],
  ['leaderboard', '0x'],
  ['liquidations', '-PERP'],
  ['vaults', 'Lifetime'],
  ['rewards', 'Lifetime'],
] as const

/** Dialogs of an account: a text that each has, the list it is opened from, and its button. */
const DIALOGS = [
  ['Isolated', 'positions', /^Margin mode and leverage/],
  ['Take profit at a mark price of', 'positions', 'Take profit and stop loss of ETH'],
  ['Size to close', 'positions', /^Close… ETH/],
  ['Amount', 'positions', 'Margin of ETH'],
  ['Size', 'conditional', /^Edit order/],
] as const

const WIDTHS = [360, 1280, 1366, 1440, 1920]

describe('the pages are for everybody', () => {
  let fixture: PageFixture
  let opened: OpenedPage
  let trading: Page
  let console: Page
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    ;[opened, { page: console }] = await Promise.all([
      fixture.openFast('/favicon.svg'),
      fixture.open('/favicon.svg'),
    ])
    trading = opened.page
    await trading.goto(`${fixture.origin}/trade/PERP_ETH_USDC`)
    await trading.locator('.bids .level').first().waitFor()
    await console.goto(`${fixture.opsOrigin}/`)
    await console.getByText('Operations').waitFor()
  })
  afterAll(() => fixture.stop())

  // Slow: each page is laid out and checked by axe.
  test.each(LOOKS)('trading: %s', async (_, look) => {
    await wear(trading, look)
    expect(await violations(trading)).toEqual([])
    for (const tab of look === PHONE ? ['Markets', 'Book', 'Trade', 'Account'] : []) {
      await trading.locator('nav.tabs').getByText(tab).click()
      expect(await violations(trading)).toEqual([])
    }
  })

  test.each(LOOKS)('console: %s', async (_, look) => {
    await wear(console, look)
    expect(await violations(console)).toEqual([])
  })

  test('trading with an account, its dialogs included', async () => {
    await wear(trading, DESKTOP)
    await trading.locator('header').getByText('Connect', { exact: true }).click()
    await trading.getByText('Use a throw-away wallet').waitFor()
    expect(await violations(trading)).toEqual([])
    await trading.keyboard.press('Escape')
    await openThrowAway(trading)
    await placeResting(trading, '0.05')
    await trading.getByText('Sign and send').waitFor()
    expect(await violations(trading)).toEqual([])
    await trading.keyboard.press('Escape')
    await trading.getByText('Sign and send').waitFor({ state: 'detached' })
  })

  test('trading with a position and a stop to protect it', async () => {
    await trading.getByLabel('Show what is signed first').uncheck()
    await isolate(trading)
    await fillIn(trading, 'MARKET', '0.5', '0.2')
    await ticket.submit(trading).click()
    await trading.getByRole('button', { name: 'Margin of ETH' }).waitFor()
    const stop = Math.floor((await bestPrice(trading, 'bids')) * 0.9)
    await fillIn(trading, 'STOP', String(stop), '0.1')
    await trading.locator('.sides [data-name=SELL]').click()
    await ticket.submit(trading).click()
    await notice(trading, /^Waits: Sell/)
    expect(await violationsInBoth(trading, 'main')).toEqual([])
  })

  test('the smallest phone has the header in one line, and no word of it is cut', async () => {
    await wear(trading, PHONE)
    const boxes = await Promise.all(
      ['.pages-open', '.badge', '.picker', '.who'].map((name) =>
        trading.locator(`header ${name}`).boundingBox(),
      ),
    )
    const middles = boxes.map((box) => (box ? box.y + box.height / 2 : 0))
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(4)
    const isCut = '(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)'
    expect(await trading.evaluate(`${isCut}(document.querySelector('.badge'))`)).toBe(false)
    await wear(trading, DESKTOP)
  })

  test.each(DIALOGS)('the dialog that has %s, light and dark', async (text, list, name) => {
    await trading.locator(`.lists [data-list=${list}]`).click()
    await trading.getByRole('button', { name }).click()
    await trading.locator('dialog').getByText(text, { exact: true }).waitFor()
    expect(await violationsInBoth(trading, 'dialog')).toEqual([])
    await trading.keyboard.press('Escape')
    await trading.locator('dialog').waitFor({ state: 'detached' })
  })

  test('the review of a swap, light and dark', async () => {
    await trading.locator('.pages-open').click()
    await trading.locator('.pages a[href$=swap]').click()
    for (const side of ['You give', 'You receive'])
      await trading
        .getByRole('group', { name: side })
        .locator('select')
        .first()
        .selectOption('Arbitrum')
    await trading.getByLabel('Amount').fill('100')
    await trading.getByRole('button', { name: 'Review the swap' }).click()
    await trading.locator('dialog').getByText('The swap is simulated').waitFor()
    expect(await violationsInBoth(trading, 'dialog')).toEqual([])
    await trading.keyboard.press('Escape')
    await trading.getByRole('link', { name: 'Trade', exact: true }).click()
    await trading.locator('.ticket').waitFor()
  })

  // Slow: each page is laid out at every width and checked by axe.
  test.each(BESIDE)('beside trading, at every width: %s', async (name, text) => {
    await trading.locator('.pages-open').click()
    await trading.locator(`.pages a[href$=${name}]`).click()
    await trading.getByText(text).first().waitFor()
    for (const [, look] of LOOKS) {
      await wear(trading, look)
      expect(await violations(trading)).toEqual([])
    }
    for (const width of WIDTHS) {
      await trading.setViewportSize({ width, height: 900 })
      expect(await trading.evaluate('document.documentElement.scrollWidth')).toBe(width)
    }
    await trading.getByRole('link', { name: 'Trade', exact: true }).click()
    await trading.locator('.ticket').waitFor()
  })

  test('an order can be placed without a mouse', async () => {
    await trading.getByLabel('Show what is signed first').check()
    await trading.locator('.types [data-name=MARKET]').focus()
    await trading.keyboard.press('Enter')
    await ticket.size(trading).clear()
    await ticket.size(trading).focus()
    await trading.keyboard.type('0.04')
    await submittable(trading)
    await trading.keyboard.press('Enter')
    await trading.getByText('Sign and send').waitFor()
    await trading.keyboard.press('Escape')
    await trading.getByText('Sign and send').waitFor({ state: 'detached' })
    await ticket.size(trading).focus()
    await submittable(trading)
    await trading.keyboard.press('Enter')
    await trading.getByText('Sign and send').waitFor()
    expect(await trading.evaluate<string>('document.activeElement.textContent')).toBe(
      'Sign and send',
    )
    // Enter that comes at once, or is held, was pressed for what the dialog covers.
    await trading.evaluate('window.aheadMs += 1000')
    await trading.keyboard.press('Enter')
    await notice(trading, /^Filled: Sell 0\.0400 ETH/)
    expect(opened.complaints).toEqual([])
  })
})

/** Has the market’s position keep a margin of its own. */
async function isolate(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Margin mode and leverage/ }).click()
  await page.locator('dialog').getByRole('button', { name: 'Isolated' }).click()
  await page.locator('dialog').getByRole('button', { name: 'Sign and set' }).click()
  await notice(page, /^ETH is isolated now/)
  await modeShown(page, 'isolated')
}

/** Gives a page the size and the colours of a look. */
async function wear(page: Page, { width, height, scheme }: Look): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: scheme })
}
