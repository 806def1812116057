// Slow: a whole visit in a browser, each step of which waits for the venue.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { DESKTOP, type OpenedPage, openPage } from './browser.ts'
import {
  agree,
  chooseType,
  eventually,
  FAST,
  FEEDS,
  inLocale,
  list,
  notice,
  openPageFixture,
  openThrowAway,
  type PageFixture,
  STILL,
  signBoth,
  ticket,
} from './fixture.ts'
import { injectWallets } from './injected-wallets.ts'
import { type LateServer, startLateServer } from './late-server.ts'
import { KEPT_OR_SHOWN, keptKey, REMEMBER_SECRETS } from './secrets.ts'
import { expectVenueFigures, type PrivateAnswers, privateAnswers, shows } from './shown-figures.ts'

const CLOCK_PATH = '/api/prep/op/platform.ipInfo'
const BOOK_PATH = '/api/prep/orderbook?symbol=PERP_ETH_USDC'

/** A locale, how data reaches the page, who signs, and an amount that has no clear meaning in the locale. */
const JOURNEYS = [
  ['de-DE', 'by stream', 'throw-away', '1.125', ['Use 1125', 'Use 1,125']],
  ['fr-FR', 'by polling', 'throw-away', '1,2,5', []],
  ['en-IN', 'by stream', 'injected', '1,5', ['Use 1.5']],
  ['ar-EG', 'by polling', 'injected', '1,5', ['Use 1.5']],
] as const

describe.each(JOURNEYS)(
  'a trader in %s, with data %s and a wallet that is %s',
  (locale, feed, wallet, unclear, corrections) => {
    let fixture: PageFixture
    let late: LateServer
    let opened: OpenedPage
    let page: Page
    let answers: PrivateAnswers
    let signed: readonly string[] = []
    /** Path and date of each answer since the clock is right. */
    const dates: (readonly [path: string, atMs: number])[] = []
    beforeAll(async () => {
      fixture = await openPageFixture({ ...STILL, ...FEEDS[feed] })
      late = startLateServer(fixture.origin)
      opened = await openPage(fixture.browser, { ...DESKTOP, locale })
      page = opened.page
      await page.addInitScript(FAST + REMEMBER_SECRETS)
      if (wallet === 'injected') signed = await injectWallets(opened.context, 'sign')
      answers = privateAnswers(page)
      late.setLate(true)
      await page.goto(`${late.origin}/trade/PERP_ETH_USDC`)
      await page.getByText('This device’s clock is 15 min ahead').waitFor()
      // Away from a page that reads again, the cache takes these answers and keeps them.
      await page.goto(`${late.origin}/favicon.svg`)
      for (const path of [CLOCK_PATH, BOOK_PATH])
        await page.evaluate(`fetch('${path}', { cache: 'reload' }).then((answer) => answer.text())`)
      late.setLate(false)
      page.on('response', (response) => {
        const path = response.url().replace(late.origin, '')
        dates.push([path, Date.parse(response.headers()['date'] ?? '')])
      })
      await page.goto(`${late.origin}/trade/PERP_ETH_USDC`)
      await page.locator('.bids .level').first().waitFor()
    })
    afterAll(async () => {
      await fixture.stop()
      await late.stop()
    })

    /** The text of a number in the notation of the locale, by the browser's own formatter. */
    const text = (value: number) => inLocale(page, value)

    async function fillIn(type: string, first: number, size: number | string): Promise<void> {
      await chooseType(page, type)
      await ticket.first(page).fill(await text(first))
      await ticket.size(page).fill(typeof size === 'string' ? size : await text(size))
    }

    async function belowTheMarket(): Promise<number> {
      const best = await page.locator('.bids .level').first().getAttribute('data-price')
      return Math.floor(Number(best) * 0.99)
    }

    test('sees no notice of the clock while the cache answers with old dates', async () => {
      const ages = (wanted: string) =>
        dates.filter(([path]) => path === wanted).map(([, atMs]) => Date.now() - atMs)
      await eventually(
        async () => ages(CLOCK_PATH),
        ([ageMs]) => ageMs !== undefined && ageMs < 60_000,
      )
      const [cachedMs] = ages(BOOK_PATH)
      expect(cachedMs).toBeGreaterThan(800_000)
      expect(await page.getByText('This device’s clock').count()).toBe(0)
    })

    test('opens an account with a key that cannot be read out', async () => {
      if (wallet === 'throw-away') await openThrowAway(page)
      else {
        await page.locator('header').getByText('Connect', { exact: true }).click()
        await page.getByRole('button', { name: 'First Wallet' }).click()
        await signBoth(page)
        const [, binding = ''] = signed
        expect(signed.length).toBe(2)
        expect(JSON.parse(binding).message).toMatchObject({ scope: 'read,trading' })
        expect(binding).toContain(await page.evaluate<string>(keptKey('publicKey')))
      }
      const attempts = ['jwk', 'pkcs8', 'raw'].map((format) =>
        page.evaluate<string>(
          `${keptKey('key')}.then((key) => crypto.subtle.exportKey('${format}', key)).then(() => 'read out', (error) => error.name)`,
        ),
      )
      expect(await Promise.all(attempts)).toEqual(Array.from(attempts, () => 'InvalidAccessError'))
    })

    test('reads beside the button why an order cannot be sent', async () => {
      const price = await belowTheMarket()
      await fillIn('LIMIT', price, unclear)
      expect(await ticket.size(page).getAttribute('aria-invalid')).toBe('true')
      expect(await ticket.submit(page).isDisabled()).toBe(true)
      const offered = page.locator('#obstacle button')
      expect(await offered.allTextContents()).toEqual([...corrections])
      await ticket.size(page).fill(await text(200))
      await page
        .locator('#obstacle')
        .getByText('Free margin is 10,000.00 USDC: it carries')
        .waitFor()
      expect(await ticket.submit(page).isDisabled()).toBe(true)
      await page.locator('#obstacle').getByRole('button').click()
      await page.locator('#obstacle').getByText('Free margin').waitFor({ state: 'detached' })
      expect(await ticket.submit(page).isEnabled()).toBe(true)
      await ticket.first(page).fill('abc')
      await page.locator('#obstacle').getByText('Price: “abc” is not a number').waitFor()
      expect(await ticket.submit(page).isDisabled()).toBe(true)
    })

    test('places an order that rests, changes it and cancels it', async () => {
      const price = await belowTheMarket()
      await fillIn('LIMIT', price, 0.05)
      await ticket.submit(page).click()
      expect(await page.locator('.bytes').textContent()).toContain(
        `"order_quantity":0.05,"order_price":${price}`,
      )
      await agree(page)
      expect(
        shows(
          (await notice(page, /^Rests at [\d.,]+: Buy 0\.0500 ETH\./)).split(':')[0] ?? '',
          price,
        ),
      ).toBe(true)
      await list(page, 'orders').click()
      await page.locator(`tr[data-order] td[data-price="${price}"]`).waitFor()
      await page.getByRole('button', { name: /^Edit order/ }).click()
      await page
        .locator('dialog .entry input')
        .nth(1)
        .fill(await text(0.06))
      await page.locator('dialog').getByText('Change', { exact: true }).click()
      await agree(page)
      await notice(page, /^Changed\. Rests at [\d.,]+: Buy 0\.0600 ETH\./)
      await page.locator('tr[data-order] td[data-size="0.06"]').waitFor()
      await page.getByRole('button', { name: /^Cancel order/ }).click()
      await page.locator('dialog').getByRole('button', { name: 'Cancel order' }).click()
      await notice(page, /^Cancelled: Buy 0\.0600 ETH\./)
      await page.getByText('No open orders.').waitFor()
    })

    test('buys at the market, and sees the fill and the position as the venue has them', async () => {
      await list(page, 'positions').click()
      await fillIn('MARKET', 0.5, 0.04)
      await ticket.submit(page).click()
      await agree(page)
      const filled = await notice(page, /^Filled: Buy 0\.0400 ETH at [\d.,]+\./)
      await page.locator('tr[data-symbol=PERP_ETH_USDC] td[data-size="0.04"]').waitFor()
      await expectVenueFigures(page, answers)
      const rows = answers.get('/v1/positions')?.['rows']
      const held = Array.isArray(rows) ? rows.find(({ symbol }) => symbol === 'PERP_ETH_USDC') : {}
      expect(shows(filled, Number(held['average_open_price']))).toBe(true)
    })

    test('closes part of the position and then the rest', async () => {
      await page.getByRole('button', { name: 'Close… ETH' }).click()
      await page.locator('dialog .entry input').fill(await text(0.01))
      await page.locator('dialog').getByRole('button', { name: 'Close position' }).click()
      await agree(page)
      await notice(page, /^Filled: Sell 0\.0100 ETH at [\d.,]+\./)
      await page.locator('tr[data-symbol=PERP_ETH_USDC] td[data-size="0.03"]').waitFor()
      await expectVenueFigures(page, answers)
      await page.getByRole('button', { name: 'Market close of ETH' }).click()
      await agree(page)
      await notice(page, /^Filled: Sell 0\.0300 ETH at [\d.,]+\./)
      await page.getByText('No open positions.').waitFor()
      for (const name of ['history', 'fills', 'balances']) {
        await list(page, name).click()
        await page.locator('.lists tbody tr').first().waitFor()
      }
    })

    test('sets the leverage', async () => {
      await page.getByRole('button', { name: /^Margin mode and leverage/ }).click()
      await page.locator('dialog').getByRole('button', { name: '20×' }).click()
      await page.locator('dialog').getByRole('button', { name: 'Sign and set' }).click()
      await agree(page)
      await notice(page, /^Leverage of ETH is 20×\./)
    })

    test('leaves its secrets neither in the page nor in a request', async () => {
      const secrets = await page.evaluate<string[]>('window.drawn')
      expect(secrets.length > 0).toBe(wallet === 'throw-away')
      const seen = await page.evaluate<string>(KEPT_OR_SHOWN)
      const all = [seen, ...opened.requests, ...opened.frames].join(' ').toLowerCase()
      for (const secret of secrets) expect(all).not.toContain(secret)
    })

    test('keeps the key over a reload, and forgets it in every tab once that is confirmed', async () => {
      await page.reload()
      await page.getByText('Free margin').first().waitFor()
      const other = await opened.context.newPage()
      await other.goto(`${late.origin}/trade`)
      await other.getByText('Forget this key').click()
      await other
        .locator('dialog')
        .getByText(
          wallet === 'injected'
            ? 'The account stays as it is'
            : 'Only the wallet’s secret opens this account again',
        )
        .waitFor()
      await other.locator('dialog').getByRole('button', { name: 'Forget the key' }).click()
      await other.getByText('The key is forgotten in this browser.').waitFor()
      await page.locator('header').getByText('Connect', { exact: true }).waitFor()
      await page.reload()
      await page.locator('header').getByText('Connect', { exact: true }).waitFor()
      expect(await page.evaluate<unknown>(keptKey('publicKey'))).toBeNull()
      expect(await page.getByText('This device’s clock').count()).toBe(0)
      // Whether an injected wallet has an account is asked for before one is opened.
      expect(opened.complaints.filter((each) => !each.includes('404'))).toEqual([])
    })
  },
)
