// Slow: a browser trades, key by key.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { DESKTOP, PHONE } from './browser.ts'
import {
  bestPrice,
  eventually,
  fillIn,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
  ticket,
} from './fixture.ts'

describe('the order form, without a mouse', () => {
  let fixture: PageFixture
  let page: Page
  let complaints: readonly string[]
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    ;({ page, complaints } = await openTrader(fixture))
    await page.getByLabel('Show what is signed first').check()
    await leaveFields(page)
  })
  afterAll(() => fixture.stop())

  const pressed = (name: string) =>
    page.locator(`.ticket [data-name=${name}]`).getAttribute('aria-pressed')

  test('has its side, kind and size chosen by single keys, and its review opened by Enter', async () => {
    await page.keyboard.press('s')
    expect([await pressed('BUY'), await pressed('SELL')]).toEqual(['false', 'true'])
    await page.keyboard.press('b')
    expect(await pressed('BUY')).toBe('true')
    await page.keyboard.press('m')
    expect(await pressed('MARKET')).toBe('true')
    await page.keyboard.press('2')
    expect(await page.locator('[data-share="50"]').getAttribute('aria-pressed')).toBe('true')
    const half = Number(await ticket.size(page).inputValue())
    await page.keyboard.press('4')
    const whole = Number(await ticket.size(page).inputValue())
    expect(Math.abs(whole - 2 * half)).toBeLessThan(0.0003)
    expect(await page.getByLabel('Share of the largest size').inputValue()).toBe('100')
    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    await page.getByText('Sign and send').waitFor()
    // Behind a dialog no key changes the order.
    await page.keyboard.press('s')
    await page.keyboard.press('Escape')
    await page.getByText('Sign and send').waitFor({ state: 'detached' })
    expect(await pressed('BUY')).toBe('true')
    await page.keyboard.press('l')
    expect(await pressed('LIMIT')).toBe('true')
  })

  test('takes no key from a field that is filled in, and gives them back after Escape', async () => {
    await page.keyboard.press('/')
    const search = page.getByLabel('Search markets')
    await page.keyboard.type('bs4')
    expect(await search.inputValue()).toBe('bs4')
    expect(await pressed('BUY')).toBe('true')
    await page.keyboard.press('Escape')
    await page.keyboard.press('s')
    expect(await pressed('SELL')).toBe('true')
    await page.keyboard.press('Control+b')
    expect(await pressed('SELL')).toBe('true')
    await search.fill('')
    await leaveFields(page)
  })

  test('lists its keys, which can be switched off for good', async () => {
    await page.keyboard.press('?')
    const dialog = page.locator('dialog')
    await dialog.getByText('Review the order').waitFor()
    // The focus begins at what can be set, not at what closes.
    expect(await page.evaluate<string>('document.activeElement.type')).toBe('checkbox')
    expect(await dialog.locator('dt').allTextContents()).toEqual([
      'B',
      'S',
      'L',
      'M',
      '1 2 3 4',
      'Enter',
      'Esc',
      '/',
      '?',
    ])
    await dialog.getByLabel('Use these keys').uncheck()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await leaveFields(page)
    await page.keyboard.press('b')
    expect(await pressed('SELL')).toBe('true')
    expect(await page.evaluate<string>("localStorage.getItem('keys')")).toBe('off')
    await page.getByRole('button', { name: 'Keys' }).click()
    await dialog.getByLabel('Use these keys').check()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await leaveFields(page)
    await page.keyboard.press('b')
    expect(await pressed('BUY')).toBe('true')
    expect(complaints).toEqual([])
  })

  test.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('keeps its height while a reader types: %s', async (_, { width, height }) => {
    await page.setViewportSize({ width, height })
    if (width < 720) await page.locator('nav.tabs').getByText('Trade').click()
    const price = String(Math.floor((await bestPrice(page, 'bids')) * 0.99))
    const heights = new Set<number>()
    for (const [first, size] of [
      ['', ''],
      ['abc', ''],
      ['1', '0.05'],
      [price, '1,5'],
      [price, '900000'],
      [price, '200'],
      [price, '0.00001'],
      [price, '0.05'],
    ] as const) {
      await fillIn(page, 'LIMIT', first, size)
      await eventually(
        () => ticket.size(page).inputValue(),
        (value) => value === size,
      )
      heights.add(await page.evaluate<number>("document.querySelector('.ticket').offsetHeight"))
    }
    expect([...heights]).toHaveLength(1)
  })
})

/** Takes the focus from every field, as a click beside them does. */
function leaveFields(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.blur()')
}
