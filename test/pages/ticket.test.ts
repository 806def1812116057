// Slow: a browser trades.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { OpenedPage } from './browser.ts'
import {
  bestPrice,
  fillIn,
  gone,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
  submittable,
  ticket,
} from './fixture.ts'

describe('the order form', () => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    opened = await openTrader(fixture)
    page = opened.page
  })
  afterAll(() => fixture.stop())

  const reason = () => page.locator('#obstacle')
  /** The names of the figures that are known. */
  const estimates = () =>
    page.evaluate<string[]>(
      "[...document.querySelectorAll('.ticket .pairs > div')].filter((row) => row.querySelector('dd').textContent !== '–').map((row) => row.querySelector('dt').textContent)",
    )

  test('names what margin does not carry, estimates nothing of it, and offers what it carries', async () => {
    await fillIn(page, 'LIMIT', String(Math.floor(await bestPrice(page, 'bids'))), '200')
    await reason().getByText('Free margin is 10,000.00 USDC: it carries at most').waitFor()
    expect(await ticket.submit(page).isDisabled()).toBe(true)
    expect(await estimates()).toEqual(['Largest order'])
    // Beyond the market's largest size as well: that is no help, since the account does not carry it.
    await ticket.size(page).fill('900')
    await reason().getByText('Free margin is 10,000.00 USDC: it carries at most').waitFor()
    await reason().getByRole('button').click()
    await reason().getByText('Free margin is').waitFor({ state: 'detached' })
    expect(await ticket.submit(page).isEnabled()).toBe(true)
    expect(await estimates()).toContain('Est. liquidation')
  })

  test('names a price that is no number, and takes it for no other', async () => {
    await fillIn(page, 'LIMIT', 'abc', '0.05')
    await reason().getByText('Price: “abc” is not a number').waitFor()
    expect(await ticket.first(page).getAttribute('aria-invalid')).toBe('true')
    expect(await estimates()).toEqual(['Largest order'])
    expect(await ticket.submit(page).isDisabled()).toBe(true)
    await ticket.size(page).press('Enter')
    expect(await page.locator('dialog').count()).toBe(0)
  })

  test('offers the price and the size that keep the rules of the market', async () => {
    const warning = page.locator('#obstacle .warn')
    await fillIn(page, 'LIMIT', '1', '20')
    await warning.getByRole('button').click()
    await gone(warning)
    // Away from the edge, where a mark that moves makes no price wrong again.
    await fillIn(
      page,
      'LIMIT',
      String(Math.floor((await bestPrice(page, 'bids')) * 0.95)),
      '0.00001',
    )
    await warning.getByRole('button').click()
    await gone(warning)
    expect(await ticket.submit(page).isEnabled()).toBe(true)
  })

  test.each([
    ['LIMIT', '1', '0.05', 'The price is too far from the mark price.'],
    ['LIMIT', '1000000', '0.05', 'The price is outside this market’s bounds.'],
    ['LIMIT', '2000.001', '0.05', 'The price is'],
    ['MARKET', '0.5', '0.00005', 'The size is below this market’s minimum.'],
    ['MARKET', '0.5', '0.05005', 'The size is between two steps.'],
    ['MARKET', '0.5', '0.0002', 'The order is worth less than this market’s minimum.'],
    ['MARKET', '0.5', '1,5', 'Size: “1,5” is not clear'],
    ['MARKET', '5', '0.05', 'Slippage is above 0% and at most 3%.'],
    ['MARKET', 'x', '0.05', 'Slippage at most: “x” is not a number'],
    ['LIMIT', '2000', '', 'Give a size.'],
    ['LIMIT', '', '1', 'Give a price.'],
  ])('says beside the button why %s %s %s cannot be sent', async (type, first, size, sentence) => {
    await fillIn(page, type, first, size)
    await reason().getByText(sentence).waitFor()
    expect(await ticket.submit(page).isDisabled()).toBe(true)
    expect(await estimates()).toEqual(['Largest order'])
  })

  test('says what would become of an order that the venue would cancel', async () => {
    await fillIn(
      page,
      'POST_ONLY',
      String(Math.ceil((await bestPrice(page, 'asks')) * 1.001)),
      '0.05',
    )
    await reason().getByText('It would take now: the venue would cancel it.').waitFor()
    expect(await estimates()).toEqual(['Largest order'])
    await fillIn(page, 'IOC', String(Math.floor((await bestPrice(page, 'bids')) * 0.99)), '0.05')
    await reason().getByText('There is nothing to take at this price').waitFor()
    expect(await ticket.submit(page).isEnabled()).toBe(true)
  })

  test('reduces no more than there is, and closes no part that is worth too little', async () => {
    await fillIn(page, 'MARKET', '0.5', '0.04')
    await ticket.submit(page).click()
    await page.locator('.lists tr[data-symbol=PERP_ETH_USDC]').waitFor()
    await page.getByLabel('Reduce only').check()
    await page.locator('.sides [data-name=SELL]').click()
    await fillIn(page, 'MARKET', '0.5', '0.05')
    await reason().getByText('The position is 0.0400 ETH').waitFor()
    await reason().getByRole('button').click()
    expect(await ticket.size(page).inputValue()).toBe('0.04')
    expect(await ticket.submit(page).isEnabled()).toBe(true)
    await page.getByRole('button', { name: 'Close… ETH' }).click()
    const part = page.locator('dialog .entry input')
    await part.fill('0.001')
    await page.locator('dialog').getByText('The order is worth less').waitFor()
    expect(await part.getAttribute('aria-invalid')).toBe('true')
    await part.fill('0.05')
    await page.locator('dialog').getByText('The position is 0.0400 ETH').waitFor()
    await page.keyboard.press('Escape')
  })

  test('sends one order where the form is sent twice at once, and says so', async () => {
    await page.getByLabel('Reduce only').uncheck()
    await page.locator('.sides [data-name=BUY]').click()
    const sent: string[] = []
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/prep/relay', async (route) => {
      const body = route.request().postData() ?? ''
      if (!body.includes('"method":"GET"')) {
        sent.push(body)
        await held
      }
      await route.continue()
    })
    await fillIn(page, 'LIMIT', String(Math.floor((await bestPrice(page, 'bids')) * 0.98)), '0.06')
    await submittable(page)
    await page.evaluate(
      "for (const form of [1, 2].map(() => document.querySelector('.ticket form'))) form.requestSubmit()",
    )
    await notice(page, /^Not sent\.Another one is still on its way/)
    release()
    await notice(page, /^Rests at .*: Buy 0\.0600 ETH/)
    expect(sent).toHaveLength(1)
    await page.unrouteAll({ behavior: 'wait' })
  })
})
