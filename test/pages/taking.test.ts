// Slow: a browser opens an account and trades.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { violationsInBoth } from './axe.ts'
import type { OpenedPage } from './browser.ts'
import {
  eventually,
  FAST,
  fillIn,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
  ticket,
} from './fixture.ts'

let fixture: PageFixture
let opened: OpenedPage
let page: Page
beforeAll(async () => {
  fixture = await openPageFixture(STILL)
  opened = await openTrader(fixture)
  page = opened.page
})
afterAll(() => fixture.stop())

test('a button says that an order is being sent, and the form keeps its size until the answer', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/prep/relay', async (route) => {
    if (route.request().postData()?.includes('"method":"POST"')) await held
    await route.fallback()
  })
  await fillIn(page, 'MARKET', '1', '0.01')
  await ticket.submit(page).click()
  await page.locator('.ticket').getByText('Sending…').waitFor()
  expect(await ticket.size(page).inputValue()).toBe('0.01')
  release()
  await notice(page, /^Filled/)
  expect(await ticket.size(page).inputValue()).toBe('')
  await page.unroute('**/api/prep/relay')
})

test('a market order that is larger than the book says so in amber, before it is sent and after', async () => {
  // A thousandth of a per cent from the best price the book has less than this.
  await fillIn(page, 'MARKET', '0.001', '15')
  const before = page.locator('.ticket .warn')
  const text = await before.getByText('the rest is cancelled').textContent()
  const [, filled = ''] = /^The book fills ([\d.]+) of 15\.0000 now;/.exec(text ?? '') ?? []
  expect(Number(filled)).toBeGreaterThan(0)
  expect(text).toMatch(/Worst price [\d,.]+, slippage [\d.]+%\.$/)
  expect(await violationsInBoth(page, '.ticket')).toEqual([])
  await ticket.submit(page).click()
  const after = await notice(page, /the rest is cancelled/)
  expect(after).toStartWith(`Filled: Buy ${filled} of 15.0000 ETH at `)
  // One that fits says nothing of the kind.
  await fillIn(page, 'MARKET', '1', '0.01')
  await eventually(
    () => before.count(),
    (count) => count === 0,
  )
})

test('the margin ratio is what is used of the collateral, and a bar shows it', async () => {
  const ratio = page.locator('#account .pairs div').filter({ hasText: 'Margin ratio' })
  const shown = await eventually(
    async () => Number.parseFloat((await ratio.locator('dd').textContent()) ?? ''),
    (percent) => percent > 0,
  )
  const value = await page
    .locator('#account meter')
    .evaluate((meter) => Number(Reflect.get(meter, 'value')))
  expect(shown).toBeGreaterThan(0)
  expect(shown).toBeLessThan(100)
  expect(Math.abs(value * 100 - shown)).toBeLessThan(0.1)
})

test('somebody with an account never sees a way to connect while the page loads', async () => {
  const { page: other, context } = { page: await opened.context.newPage(), context: opened.context }
  await other.addInitScript(FAST)
  await other.addInitScript(`{
    window.seen = new Set()
    new MutationObserver(() => {
      for (const button of document.querySelectorAll('header button, .ticket button'))
        window.seen.add(button.textContent)
    }).observe(document, { childList: true, subtree: true, characterData: true })
  }`)
  await other.goto(`${fixture.origin}/trade`)
  await other.getByText('Free margin').first().waitFor()
  const seen = await other.evaluate<string[]>('[...window.seen]')
  expect(seen.length).toBeGreaterThan(0)
  expect(seen.filter((text) => text.startsWith('Connect'))).toEqual([])
  await other.close()
  expect(context.pages()).toHaveLength(1)
})

test('the first load has two waves: the document names every script that it takes', async () => {
  const html = await (await fixture.target.fetch('/trade')).text()
  const named = new Set(
    [...html.matchAll(/(?:href|src)="(\/trade\/[^"]+\.js)"/g)].map(([, path = '']) => path),
  )
  const texts = await Promise.all(
    [...named].map(async (path) => (await fixture.target.fetch(path)).text()),
  )
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/\bfrom"([^"]+\.js)"/g)].map(([, path = '']) => path),
  )
  expect(imported.filter((path) => !named.has(path))).toEqual([])
  // The chart is the largest of them.
  expect(Math.max(...texts.map(({ length }) => length))).toBeGreaterThan(150_000)
})
