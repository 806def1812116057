import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Visit } from './browser.ts'
import { agree, openPageRig, openThrowAway, PATIENCE_MS, type PageRig, ticket } from './rig.ts'

setDefaultTimeout(PATIENCE_MS)

describe('the order form', () => {
  let rig: PageRig
  let visit: Visit
  let page: Page
  beforeAll(async () => {
    rig = await openPageRig()
    visit = await rig.visit('/trade/PERP_ETH_USDC')
    page = visit.page
    await openThrowAway(page)
    await page.locator('.bids .level').first().waitFor()
  })
  afterAll(async () => {
    await visit.context.close()
    await rig.stop()
  })

  const reason = () => page.locator('#obstacle')
  const estimates = () => page.locator('.ticket dt').allTextContents()

  async function fillIn(type: string, first: string, size: string): Promise<void> {
    await page.locator(`.types [data-name=${type}]`).click()
    await ticket.first(page).fill(first)
    await ticket.size(page).fill(size)
  }

  async function best(side: 'asks' | 'bids'): Promise<number> {
    const rows = page.locator(`.${side} .level`)
    const level = side === 'asks' ? rows.last() : rows.first()
    return Number(await level.getAttribute('data-price'))
  }

  test('names what margin does not carry, estimates nothing of it, and offers what it carries', async () => {
    await fillIn('LIMIT', String(Math.floor(await best('bids'))), '200')
    await reason().getByText('Free margin is 10,000.00 USDC: it carries at most').waitFor()
    expect(await ticket.submit(page).isDisabled()).toBe(true)
    expect(await estimates()).toEqual(['Free margin', 'Largest'])
    await reason().getByRole('button').click()
    await reason().getByText('Free margin is').waitFor({ state: 'detached' })
    expect(await ticket.submit(page).isEnabled()).toBe(true)
    expect(await estimates()).toContain('Est. liquidation')
  })

  test('names a price that is no number, and takes it for no other', async () => {
    await fillIn('LIMIT', 'abc', '0.05')
    await reason().getByText('Price: “abc” is not a number').waitFor()
    expect(await ticket.first(page).getAttribute('aria-invalid')).toBe('true')
    expect(await estimates()).toEqual(['Free margin', 'Largest'])
    expect(await ticket.submit(page).isDisabled()).toBe(true)
    await ticket.size(page).press('Enter')
    expect(await page.locator('dialog').count()).toBe(0)
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
    await fillIn(type, first, size)
    await reason().getByText(sentence).waitFor()
    expect(await ticket.submit(page).isDisabled()).toBe(true)
    expect(await estimates()).toEqual(['Free margin', 'Largest'])
  })

  test('says what would become of an order that the venue would cancel', async () => {
    await fillIn('POST_ONLY', String(Math.ceil((await best('asks')) * 1.001)), '0.05')
    await reason().getByText('It would take now: the venue would cancel it.').waitFor()
    expect(await estimates()).toEqual(['Free margin', 'Largest'])
    await fillIn('IOC', String(Math.floor((await best('bids')) * 0.99)), '0.05')
    await reason().getByText('There is nothing to take at this price').waitFor()
    expect(await ticket.submit(page).isEnabled()).toBe(true)
  })

  test('reduces no more than there is, and closes no part that is worth too little', async () => {
    await fillIn('MARKET', '0.5', '0.04')
    await ticket.submit(page).click()
    await agree(page)
    await page.locator('.lists tr[data-symbol=PERP_ETH_USDC]').waitFor()
    await page.getByLabel('Reduce only').check()
    await page.locator('.sides [data-name=SELL]').click()
    await fillIn('MARKET', '0.5', '0.05')
    await reason().getByText('The position is 0.0400 ETH').waitFor()
    await reason().getByRole('button').click()
    expect(await ticket.size(page).inputValue()).toBe('0.04')
    expect(await ticket.submit(page).isEnabled()).toBe(true)
    await page.getByRole('button', { name: 'Close part of ETH' }).click()
    const part = page.locator('dialog .entry input')
    await part.fill('0.001')
    await page.locator('dialog').getByText('The order is worth less').waitFor()
    expect(await part.getAttribute('aria-invalid')).toBe('true')
    await part.fill('0.05')
    await page.locator('dialog').getByText('The position is 0.0400 ETH').waitFor()
    await page.keyboard.press('Escape')
  })
})
