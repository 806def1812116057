// Slow: a browser trades in two markets and sorts, filters and saves its lists.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Download, Page } from 'playwright-core'
import { toAmount } from '../../src/perp/amounts.ts'
import type { OpenedPage } from './browser.ts'
import {
  bestPrice,
  eventually,
  fillIn,
  list,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
  ticket,
} from './fixture.ts'
import { type PrivateAnswers, privateAnswers } from './private-answers.ts'

let fixture: PageFixture
let opened: OpenedPage
let page: Page
let answers: PrivateAnswers
beforeAll(async () => {
  fixture = await openPageFixture(STILL)
  opened = await openTrader(fixture)
  ;({ page } = opened)
  answers = privateAnswers(page)
  page.setDefaultTimeout(30_000)
  await market('0.5', 'Buy')
  await market('0.2', 'Sell')
  await page.getByRole('button', { name: 'Market close of ETH' }).click()
  await notice(page, /^Filled/)
  await market('0.3', 'Buy')
  await page.goto(page.url().replace('PERP_ETH_USDC', 'PERP_BTC_USDC'))
  await page.locator('.bids .level').first().waitFor()
  await market('0.01', 'Sell')
  const price = String(Math.ceil((await bestPrice(page, 'asks')) * 1.01))
  await page.locator('.sides').getByRole('button', { name: 'Sell' }).click()
  await fillIn(page, 'LIMIT', price, '0.01')
  await ticket.submit(page).click()
  await notice(page, /^Rests at/)
})
afterAll(() => fixture.stop())

/** Trades this much at the market. */
async function market(size: string, side: 'Buy' | 'Sell'): Promise<void> {
  await page.locator('.sides').getByRole('button', { name: side }).click()
  await fillIn(page, 'MARKET', '0.5', size)
  await ticket.submit(page).click()
  await notice(page, /^Filled/)
}

const rows = () => page.locator('.lists tbody tr')
const firstCells = (): Promise<readonly string[]> =>
  page.locator('.lists tbody tr td:first-child').allTextContents()
const heading = (name: string) => page.locator('.lists thead').getByRole('button', { name })
const onlyHere = () => page.getByLabel('This market only')

test('positions are sorted by any of their columns, in both directions and in the venue’s order again', async () => {
  await list(page, 'positions').click()
  await rows().nth(1).waitFor()
  const venue = await firstCells()
  await heading('Market').click()
  expect((await firstCells()).map((text) => text.slice(0, 3))).toEqual(['BTC', 'ETH'])
  expect(await page.locator('.lists th[aria-sort=ascending]').textContent()).toBe('Market ↑')
  await heading('Market').click()
  expect((await firstCells()).map((text) => text.slice(0, 3))).toEqual(['ETH', 'BTC'])
  await heading('Market').click()
  expect(await firstCells()).toEqual(venue)
  expect(
    await page.locator('.lists th:is([aria-sort=ascending], [aria-sort=descending])').count(),
  ).toBe(0)
  const names = await page.locator('.lists thead button.sort').allTextContents()
  const all = await page.locator('.lists thead th').allTextContents()
  // Only the buttons of a row are not sorted by.
  expect(all.filter((name) => !names.includes(name))).toEqual(['TP / SL', 'Actions'])
})

test('a row that has the focus keeps its place while the order changes', async () => {
  await heading('PnL / ROE').click()
  const before = await firstCells()
  await page.locator('.lists tbody tr').last().getByRole('button').first().focus()
  await page.evaluate('document.activeElement.scrollIntoView()')
  expect(await firstCells()).toEqual(before)
})

test('the totals of positions are the sums of the venue’s figures', async () => {
  const { rows: held } = await answers.of('/v1/positions')
  const sum = held
    .filter((row) => Number(row['position_qty']) !== 0)
    .reduce(
      (total, row) => total + Math.abs(Number(row['position_qty']) * Number(row['mark_price'])),
      0,
    )
  const totals = page.locator('.totals')
  expect(await totals.textContent()).toContain('Total (2 rows)')
  const shown = await totals.locator('dl div', { hasText: 'Value' }).locator('dd').textContent()
  expect(Number(shown?.replaceAll(',', ''))).toBeCloseTo(sum, 1)
})

test('only the shown market’s rows are listed on request, and the hidden rows are counted', async () => {
  await onlyHere().check()
  expect((await firstCells()).map((text) => text.slice(0, 3))).toEqual(['BTC'])
  await page.getByText('Hidden rows of other markets: 1.').waitFor()
  expect(await page.locator('.totals').textContent()).toContain('Total (1 rows)')
  await list(page, 'closed').click()
  await page.getByText('No rows in this market.').waitFor()
  await page.getByRole('button', { name: 'Show all markets' }).click()
  await rows().first().waitFor()
  expect(await onlyHere().isChecked()).toBe(false)
})

test('a closed position has the PnL, the fees and the funding that the venue answers', async () => {
  await list(page, 'closed').click()
  await rows().first().waitFor()
  const [row = {}, ...others] = (await answers.of('/v1/position_history?limit=100')).rows
  expect(others).toEqual([])
  const cell = (name: string) => rows().first().locator(`[data-name="${name}"]`)
  expect(await rows().first().locator('td').first().textContent()).toContain('ETH Long10× cross')
  const number = async (name: string) =>
    Number((await cell(name).textContent())?.replace('−', '-').replace(',', ''))
  const [pnl, fee] = [Number(row['realized_pnl']), Number(row['trading_fee'])]
  const funding = -Number(row['accumulated_funding_fee'])
  expect(await number('PnL')).toBeCloseTo(pnl, 2)
  expect(await number('Fees')).toBeCloseTo(-fee, 4)
  expect(await number('Funding')).toBeCloseTo(funding, 4)
  expect(await number('Net')).toBeCloseTo(pnl - fee + funding, 2)
  expect(await cell('Closed by').textContent()).toBe('Order')
  expect(fee).toBeGreaterThan(0)
})

/** Saves the open list, and reads the file. */
async function saved(): Promise<{ readonly name: string; readonly lines: readonly string[] }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ])
  return { name: download.suggestedFilename(), lines: await linesOf(download) }
}

async function linesOf(download: Download): Promise<readonly string[]> {
  const parts = await Array.fromAsync(await download.createReadStream())
  return Buffer.concat(parts).toString().split('\r\n').filter(Boolean)
}

test.each([
  ['positions', /^positions-0x/, 2],
  ['orders', /^open-orders-0x/, 1],
  ['history', /^order-history-0x/, 5],
  ['closed', /^closed-positions-0x/, 1],
  ['balances', /^balances-0x/, 1],
] as const)('the file of %s has every row of the list', async (name, file, count) => {
  await list(page, name).click()
  await rows().first().waitFor()
  const { name: fileName, lines } = await saved()
  expect(fileName).toMatch(file)
  expect(lines).toHaveLength(count + 1)
  await notice(page, RegExp(`^Rows saved: ${count}\\.`))
})

test('the file of fills has the venue’s decimals to the digit', async () => {
  await list(page, 'fills').click()
  await rows().first().waitFor()
  const { lines } = await saved()
  const [head = '', first = ''] = lines
  const at = head.split(',').indexOf('fee')
  const { rows: fills } = await answers.of('/v1/trades?page=1&size=500')
  expect(toAmount(first.split(',')[at])).toBe(toAmount(fills[0]?.['fee']))
  expect(lines).toHaveLength(fills.length + 1)
  await notice(page, /^Rows saved/)
})

test('the file of one market has only its rows, and its name says so', async () => {
  await list(page, 'history').click()
  await onlyHere().check()
  const { name, lines } = await saved()
  expect(name).toStartWith('order-history-PERP_BTC_USDC-0x')
  expect(lines.slice(1).every((line) => line.includes('PERP_BTC_USDC'))).toBe(true)
  expect(lines).toHaveLength(2)
  await notice(page, /^Rows saved: 1\./)
  await onlyHere().uncheck()
})

test('the file of a list without rows is not saved', async () => {
  await list(page, 'conditional').click()
  await page.getByRole('button', { name: 'CSV' }).click()
  await notice(page, /^There are no rows to save yet\./)
})

test('a list of cards has a choice of its order in place of headings', async () => {
  await list(page, 'positions').click()
  await page.setViewportSize({ width: 390, height: 800 })
  await page.locator('nav.tabs').getByText('Account').click()
  const choice = page.getByLabel('Sort by', { exact: true })
  await choice.selectOption('Market')
  await page.getByRole('button', { name: 'Largest first' }).click()
  await eventually(firstCells, (cells) => cells[0]?.startsWith('BTC') ?? false)
  await page.getByRole('button', { name: 'Smallest first' }).click()
  await eventually(firstCells, (cells) => cells[0]?.startsWith('ETH') ?? false)
  expect(opened.complaints).toEqual([])
})

test('nothing of the lists’ tools is loaded without an account', async () => {
  const visitor = await fixture.openFast('/trade/PERP_ETH_USDC')
  await visitor.page.locator('.bids .level').first().waitFor()
  await visitor.page.locator('.ticket form').waitFor()
  expect(await visitor.page.locator('.lists').getByText('CSV').count()).toBe(0)
  await visitor.page.locator('.lists [data-list=balances]').click()
  await visitor.page.locator('.lists a[href$=deposit]').waitFor()
  expect(await visitor.page.locator('.lists').getByText('CSV').count()).toBe(0)
  await visitor.context.close()
})
