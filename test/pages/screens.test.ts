import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { DESKTOP, PHONE } from './browser.ts'
import { fillIn, LASTING, list, notice, type PageFixture, ticket } from './fixture.ts'
import { openListsFixture } from './lists-fixture.ts'

let fixture: PageFixture
let page: Page
let price: string
beforeAll(async () => {
  ;({ fixture, page, price } = await openListsFixture())
})
afterAll(() => fixture.stop())

/** Whatever of a list is out of sight, or lies below the actions of its row. */
function hidden(): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const panel = document.querySelector('.lists').getBoundingClientRect()
    const found = []
    for (const row of document.querySelectorAll('.lists tbody tr')) {
      const actions = row.querySelector('.actions').getBoundingClientRect()
      if (actions.right > panel.right + 1 || actions.width < 60) found.push('actions')
      for (const cell of row.querySelectorAll('td:not(.actions)')) {
        const { left, right, top, bottom } = cell.getBoundingClientRect()
        const isBelow = right > actions.left + 1 && left < actions.right - 1 && bottom > actions.top + 1 && top < actions.bottom - 1
        if (isBelow || left < panel.left || right > panel.right + 1) found.push(cell.textContent)
      }
    }
    return found
  })()`)
}

/** What of ticket and lists lies below a notice. */
function covered(): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const boxOf = (each) => each.getBoundingClientRect()
    const notes = [...document.querySelectorAll('.note')].map(boxOf)
    if (notes.length === 0) return ['no notice']
    const isBelow = ({ left, right, top, bottom }) =>
      notes.some((note) => note.left < right && note.right > left && note.top < bottom && note.bottom > top)
    return [...document.querySelectorAll('.ticket, .lists .head, .lists .actions')]
      .filter((each) => isBelow(boxOf(each)))
      .map(({ className }) => className)
  })()`)
}

/** What the figures between the sides of the book are called there. */
function labelled(): Promise<string[]> {
  return page.evaluate<string[]>(
    "[...document.querySelectorAll('.between span')].map((each) => getComputedStyle(each, '::before').content)",
  )
}

/** What is wider than its place, where a scrollbar takes some of that too. */
function clipped(): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const markets = document.querySelector('.markets .scroll')
    markets.style.paddingRight = '11px'
    const all = [markets, document.querySelector('.markets .groups'), document.querySelector('.chart .choices'), document.querySelector('.between')]
    return all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.className)
  })()`)
}

describe.each([
  ['1280', 1280, 800],
  ['1366', 1366, 768],
  ['1440', 1440, 900],
  ['1920', 1920, 1080],
  ['a tablet', 820, 1180],
  ['a phone', PHONE.width, PHONE.height],
] as const)('the lists on a screen of %s', (_, width, height) => {
  // Slow: the page is laid out anew for a screen, and its lists are shown one after another.
  test('have every figure and every action in sight', async () => {
    await page.setViewportSize({ width, height })
    if (width === PHONE.width) await page.locator('nav.tabs').getByText('Account').click()
    if (width > PHONE.width) expect(await clipped()).toEqual([])
    if (width > PHONE.width) expect(await labelled()).toEqual(['"Mark"', '"Spread"'])
    for (const name of ['positions', 'orders', 'conditional']) {
      await list(page, name).click()
      await page.locator('.lists .actions').first().waitFor()
      expect(await hidden()).toEqual([])
    }
    await page.locator('.lists .head').getByRole('button', { name: 'Cancel all' }).waitFor()
    await list(page, 'positions').click()
    expect(await page.locator('.lists .actions button').allTextContents()).toEqual([
      'TP/SL',
      'Reverse',
      'Close…',
      'Market close',
    ])
    expect(await page.locator('.lists .head').getByRole('button', { name: /all$/ }).count()).toBe(0)
  })
})

// Slow: the page is laid out anew for four screens, and an order is sent and cancelled.
test('a notice covers neither the ticket nor what is done with a list, on any screen', async () => {
  await page.evaluate(LASTING)
  await page.setViewportSize(DESKTOP)
  await fillIn(page, 'LIMIT', price, '0.01')
  await ticket.submit(page).click()
  await page.locator('.note').waitFor()
  for (const [width, height] of [
    [1280, 720],
    [1366, 768],
    [1440, 900],
    [1920, 1080],
  ] as const) {
    await page.setViewportSize({ width, height })
    expect(await covered()).toEqual([])
  }
  await notice(page, /^Rests at/)
  await list(page, 'orders').click()
  await page
    .getByRole('button', { name: /^Cancel order/ })
    .first()
    .click()
  await notice(page, /^Cancelled/)
})

test('on a phone a row is a card that names its figures, and ticket and book are seen together', async () => {
  await page.setViewportSize(PHONE)
  await page.locator('nav.tabs').getByText('Account').click()
  await list(page, 'positions').click()
  const cell = page.locator('.lists td[data-name="Entry / mark"]')
  expect(
    await cell.evaluate(
      (td) => `${Reflect.get(globalThis, 'getComputedStyle')(td, '::before').content}`,
    ),
  ).toBe('"Entry / mark"')
  await page.locator('nav.tabs').getByText('Trade').click()
  const [order, book] = [
    await page.locator('.ticket').boundingBox(),
    await page.locator('.book').boundingBox(),
  ]
  expect(book?.y).toBe(order?.y ?? -1)
  expect(book?.x).toBeGreaterThanOrEqual((order?.x ?? 0) + (order?.width ?? 0))
  expect((book?.x ?? 0) + (book?.width ?? 0)).toBeLessThanOrEqual(PHONE.width)
  await page.setViewportSize(DESKTOP)
})
