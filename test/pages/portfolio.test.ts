// Slow: a browser opens accounts, signs and reads.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Download, Page } from 'playwright-core'
import {
  eventually,
  fillIn,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  placeResting,
  STILL,
  ticket,
} from './fixture.ts'
import { type PrivateAnswers, privateAnswers } from './private-answers.ts'

let fixture: PageFixture
let page: Page
let complaints: string[]
let answers: PrivateAnswers
beforeAll(async () => {
  fixture = await openPageFixture(STILL)
  ;({ page, complaints } = await openTrader(fixture))
  answers = privateAnswers(page)
  await fillIn(page, 'MARKET', '0.5', '1')
  await ticket.submit(page).click()
  await page.locator('.lists tr[data-symbol=PERP_ETH_USDC]').waitFor()
  await placeResting(page, '0.05')
  await notice(page, /^Rests at/)
  await page.getByRole('button', { name: 'Menu' }).press('Enter')
  await page.locator('.pages a[href$=portfolio]').press('Enter')
  await page.getByRole('heading', { name: 'Portfolio' }).waitFor()
  await page.locator('[aria-label="By day"] tbody tr').first().waitFor()
})
afterAll(() => fixture.stop())

test('every figure is the venue’s own', async () => {
  const figures = [
    ['Equity', '/v1/positions', 'account_value'],
    ['Free margin', '/v1/positions', 'free_collateral'],
    ['Fees, 30 days', '/v1/client/statistics', 'fees_paid_last_30_days'],
    ['Volume, 30 days', '/v1/client/statistics', 'perp_trading_volume_last_30_days'],
  ] as const
  for (const [name, path, member] of figures)
    await eventually(
      async () => [await tile(page, name), (await answers.of(path))[member]] as const,
      ([text, value]) => text === `${inUsdc(value)} USDC`,
    )
  const fees = (await answers.of('/v1/trades?page=1&size=500')).rows.map(({ fee }) => Number(fee))
  const row = page.locator('[aria-label="By day"] tbody tr').first()
  const paid = fees.reduce((sum, fee) => sum + fee, 0)
  await row
    .locator('td')
    .nth(2)
    .getByText(`−${inUsdc(paid)}`, { exact: true })
    .waitFor()
  expect(await row.locator('td').last().textContent()).toBe('+10,000.00')
})

test('the curve ends with the equity and explains all of it', async () => {
  await page.getByRole('button', { name: 'All', exact: true }).click()
  const { account_value: equity, rows } = await answers.of('/v1/positions')
  const [{ position_qty, mark_price, average_open_price } = {}] = rows
  const unrealised = Number(position_qty) * (Number(mark_price) - Number(average_open_price))
  const label = await page.locator('.curve svg').getAttribute('aria-label')
  expect(label).not.toContain(': 0.00 USDC on ')
  expect(label).toContain(`, ${inUsdc(Number(equity) - unrealised)} USDC on `)
  expect(await page.getByText('came in by what is not in these lists').count()).toBe(0)
})

test('a curve that is level has its amount beside it', async () => {
  await page.getByRole('button', { name: '30 days', exact: true }).click()
  const amount = page.locator('.curve .scale span')
  expect(await amount.count()).toBe(1)
  const [label, plot] = await Promise.all([
    amount.boundingBox(),
    page.locator('.curve svg').boundingBox(),
  ])
  const middle = (box: typeof label) => (box?.y ?? 0) + (box?.height ?? 0) / 2
  expect(Math.abs(middle(label) - middle(plot))).toBeLessThan(4)
})

test.each([
  ['Orders', 'orders', '/v1/orders?page=1&size=500', 2],
  // As many as there were levels of the book that the order took from.
  ['Fills', 'fills', '/v1/trades?page=1&size=500', null],
  ['Deposits and withdrawals', 'transfers', '/v1/asset/history?page=1&size=500', 1],
] as const)(
  'a file of %s has each row as the venue answers it',
  async (label, name, path, wanted) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: label }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(
      new RegExp(`^${name}-0x[0-9a-f]{8}-[0-9-]{10}\\.csv$`),
    )
    const lines = (await textOf(download)).split('\r\n')
    const { rows } = await answers.of(path)
    const count = wanted ?? rows.length
    expect(count).toBeGreaterThan(0)
    expect(lines).toHaveLength(count + 2)
    const [head = '', first = ''] = lines
    expect(head).toBe(Object.keys(rows[0] ?? {}).join(','))
    expect(first).toBe(
      Object.values(rows[0] ?? {})
        .map((value) => value ?? '')
        .join(','),
    )
    await notice(page, RegExp(`^Rows saved: ${count}\\.`))
  },
)

test('a file of what there is none of is not saved', async () => {
  await page.getByRole('button', { name: 'Funding' }).click()
  await notice(page, /^There are no rows to save yet\./)
})

test('a figure that the venue does not answer is not known, and not zero', async () => {
  const other = await page.context().newPage()
  await privateAnswers(other).change('/v1/positions', (answer) => ({
    ...answer,
    account_value: undefined,
  }))
  await other.goto(`${fixture.origin}/trade/portfolio`)
  await eventually(
    () => tile(other, 'Free margin'),
    (text) => text?.endsWith(' USDC') ?? false,
  )
  expect(await tile(other, 'Equity')).toBe('not known')
  expect(await other.locator('.curve').count()).toBe(0)
  await other.close()
})

test('the page names itself, has an address of its own, and goes back to the market it came from', async () => {
  expect(await page.title()).toStartWith('Portfolio · ')
  expect(new URL(page.url()).pathname).toBe('/trade/portfolio')
  await page.goBack()
  await page.locator('h1').getByText('ETH-PERP').waitFor()
  await page.goForward()
  await page.getByRole('heading', { name: 'Portfolio' }).waitFor()
  await page.getByRole('link', { name: 'Trade', exact: true }).click()
  await page.locator('h1').getByText('ETH-PERP').waitFor()
  expect(new URL(page.url()).pathname).toBe('/trade/PERP_ETH_USDC')
  expect(complaints).toEqual([])
})

test('without an account it says so, and a page that there is not says that', async () => {
  const { page: other, context, complaints: others } = await fixture.openFast('/trade/portfolio')
  await other.getByText('Open an account, or bind a key').waitFor()
  await other.goto(`${fixture.origin}/trade/nowhere`)
  await other.getByText('There is no such page here.').waitFor()
  expect(others).toEqual([])
  await context.close()
})

async function textOf(download: Download): Promise<string> {
  return Buffer.concat(await Array.fromAsync(await download.createReadStream())).toString()
}

function tile(from: Page, name: string): Promise<string | null> {
  return from
    .locator('.tiles div', { has: from.getByText(name, { exact: true }) })
    .locator('dd')
    .textContent()
}

function inUsdc(value: unknown): string {
  const amount = Number(value).toLocaleString('en', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  })
  return amount.replace('-', '−')
}
