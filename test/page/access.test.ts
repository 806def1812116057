import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { DARK, DESKTOP, type Look, PHONE } from './browser.ts'
import {
  openPageFixture,
  openThrowAway,
  type PageFixture,
  placeResting,
  STILL,
  TIMEOUT_MS,
  ticket,
} from './fixture.ts'

setDefaultTimeout(TIMEOUT_MS)

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

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
  ['leaderboard', '0x'],
  ['liquidations', '-PERP'],
  ['vaults', 'Lifetime'],
  ['rewards', 'Lifetime'],
] as const

const WIDTHS = [360, 1280, 1366, 1440, 1920]

describe('the pages are for everybody', () => {
  let fixture: PageFixture
  let trading: Page
  let console: Page
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    ;[{ page: trading }, { page: console }] = await Promise.all([
      fixture.openFast('/favicon.svg'),
      fixture.open('/favicon.svg'),
    ])
    await Promise.all([trading, console].map((page) => page.addInitScript(AXE)))
    await trading.goto(`${fixture.origin}/trade/PERP_ETH_USDC`)
    await trading.locator('.bids .level').first().waitFor()
    await console.goto(`${fixture.opsOrigin}/`)
    await console.getByText('Operations').waitFor()
  })
  afterAll(() => fixture.stop())

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
    await trading.locator('.types [data-name=MARKET]').focus()
    await trading.keyboard.press('Enter')
    await ticket.size(trading).clear()
    await ticket.size(trading).focus()
    await trading.keyboard.type('0.04')
    await trading.keyboard.press('Enter')
    await trading.getByText('Sign and send').waitFor()
    await trading.keyboard.press('Escape')
    await trading.getByText('Sign and send').waitFor({ state: 'detached' })
    await ticket.size(trading).focus()
    await trading.keyboard.press('Enter')
    await trading.getByText('Sign and send').focus()
    await trading.keyboard.press('Enter')
    await trading.locator('.lists tr[data-symbol=PERP_ETH_USDC]').waitFor()
  })
})

/** Gives a page the size and the colours of a look. */
async function wear(page: Page, { width, height, scheme }: Look): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: scheme })
}

/** Serious and critical violations of WCAG A and AA, each with where it was found. */
function violations(page: Page): Promise<string[]> {
  return page.evaluate<
    string[]
  >(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
    .then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ target }) => target.join(' ')).join(', ')))`)
}
