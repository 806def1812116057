// Slow: a browser opens and reads pages.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { eventually, openPageFixture, type PageFixture, STILL } from './fixture.ts'

let fixture: PageFixture
let page: Page
let complaints: string[]
beforeAll(async () => {
  fixture = await openPageFixture(STILL)
  ;({ page, complaints } = await fixture.openFast('/trade/leaderboard'))
})
afterAll(() => fixture.stop())

type Row = Readonly<Record<string, unknown>>

test.each([
  ['Volume', '24 hours', 'leaderboard?window=24h&sort=volume&limit=50'],
  ['Volume', '7 days', 'leaderboard?window=7d&sort=volume&limit=50'],
  ['PnL', '30 days', 'leaderboard?window=30d&sort=pnl&limit=50'],
  ['Whales', '24 hours', 'whales?limit=50'],
] as const)('the leaderboard is the route’s: %s, %s', async (rank, period, path) => {
  // Others trade at the same venue, so the page and this test may be answered at different times.
  const shownAndAnswered = async () => {
    await page.reload()
    await page.getByRole('button', { name: rank, exact: true }).click()
    if (rank !== 'Whales') await page.getByRole('button', { name: period }).click()
    await page.getByText(`Volume, ${period}`).waitFor()
    await page.locator('tbody tr').first().waitFor()
    const rows: readonly Row[] = (await answer(path)).rows
    return [await tableOf(page, 'table'), rows.map(textsOf)] as const
  }
  const [texts] = await eventually(shownAndAnswered, ([shown, rows]) => Bun.deepEquals(shown, rows))
  expect(texts.length).toBeGreaterThan(0)
  expect(await page.getByRole('button', { name: '7 days' }).count()).toBe(rank === 'Whales' ? 0 : 1)
})

function textsOf({ rank, address, volume, pnl, notional }: Row): readonly string[] {
  return [`${rank} ${address}`, amount(volume), withSign(pnl), amount(notional)]
}

test('a figure that the route does not answer is not known, and not zero', async () => {
  const rows = [{ rank: 1, address: '0x1111…2222', volume: null, pnl: -0.001, notional: 2e6 }]
  const { page: other, context } = await fixture.openFast('/favicon.svg')
  await other.route('**/api/prep/leaderboard?*', (route) => route.fulfill({ json: { rows } }))
  await other.goto(`${fixture.origin}/trade/leaderboard`)
  await other.locator('tbody tr').waitFor()
  expect(await tableOf(other, 'table')).toEqual([
    ['1 0x1111…2222', 'not known', '0.00', '2,000,000.00'],
  ])
  await context.close()
})

test('liquidations and the insurance fund are the routes’, and a row leads to its market', async () => {
  await page.getByRole('link', { name: 'Liquidations' }).click()
  const [{ rows }, fund] = await Promise.all([
    answer('liquidations?size=100'),
    answer('insurance-fund'),
  ])
  const latest = '[aria-label="Latest liquidations"] table'
  await page.locator(`${latest} tbody tr`).first().waitFor()
  await page.locator('.tiles').waitFor()
  const positions: readonly Row[] = rows.flatMap((row: Row) => row['positions_by_perp'])
  const shown = await tableOf(page, latest)
  expect(shown.map(([, ...cells]) => cells)).toEqual(
    positions.map((taken) => [
      `${String(taken['symbol']).split('_')[1]}-PERP`,
      `${Number(taken['position_qty']) > 0 ? 'Long' : 'Short'} ${grouped(taken['position_qty'])}`,
      grouped(taken['transfer_price']),
      amount(Math.abs(Number(taken['cost_position_transfer']))),
      amount(taken['abs_liquidator_fee']),
      amount(taken['abs_insurance_fund_fee']),
    ]),
  )
  expect(await page.locator('.tiles dd').allTextContents()).toEqual([
    `${amount(fund['balance'])} USDC`,
    `${amount(fund['total_account_value'])} USDC`,
    `${amount(100 * fund['margin_ratio'])}%`,
    `${withSign(fund['total_pnl_24_h'])} USDC`,
  ])
  const [, market = ''] = shown[0] ?? []
  await page.locator('tbody .link').first().press('Enter')
  await page.locator('h1').getByText(market).waitFor()
  await page.goBack()
})

test('a position is liquidated now, another was deleveraged', async () => {
  const { page: other, context } = await fixture.openFast('/favicon.svg')
  const position = { symbol: 'PERP_ETH_USDC', position_qty: -1.5, liquidator_fee: 0.006 }
  const row = {
    ...{ timestamp: 0, liquidation_id: 7, type: 'adl', positions_by_perp: [position] },
    // Of the whole liquidation: no figure of the position, which has one of this name.
    liquidator_fee: 0.5,
  }
  await other.route(/liquidations/, (route) =>
    route.request().url().includes('/api/')
      ? route.fulfill({ json: { rows: [row] } })
      : route.fallback(),
  )
  await other.goto(`${fixture.origin}/trade/liquidations`)
  await other.locator('tbody').nth(1).waitFor()
  const since = '01 Jan 00:00:00'
  expect(await tableOf(other, '[aria-label="Being liquidated now"] table')).toEqual([
    [since, 'ETH-PERP', 'Short 1.5ADL', '0.60%'],
  ])
  const unknown = 'not known'
  expect(await tableOf(other, '[aria-label="Latest liquidations"] table')).toEqual([
    [since, 'ETH-PERP', 'Short 1.5ADL', unknown, unknown, unknown, unknown],
  ])
  await context.close()
})

test('vaults are the routes’, and one of them is chosen', async () => {
  await page.getByRole('link', { name: 'Vaults' }).click()
  const [{ rows }, { rows: totals }] = await Promise.all([
    answer('op/vault.info'),
    answer('op/vault.overallStats'),
  ])
  await page.locator('.pairs').waitFor()
  const list = await tableOf(page, '[aria-label="Choose a vault"] table')
  expect(list).toEqual(
    rows.map((vault: Row) => [
      vault['vault_name'],
      amount(vault['tvl']),
      `${withSign(100 * Number(vault['30d_apy']))}%`,
      `${withSign(100 * Number(vault['lifetime_apy']))}%`,
      withSign(vault['vault_lifetime_net_pnl']),
      String(vault['lp_counts']),
      `${vault['vault_age']} d`,
    ]),
  )
  const [total] = totals
  await eventually(
    () => page.locator('.tiles dd').allTextContents(),
    (shown) => shown[0] === `${amount(total['strategy_vaults_tvl'])} USDC`,
  )
  const last = rows.at(-1)
  await page.getByRole('button', { name: last['vault_name'] }).press('Enter')
  await page.getByText(last['description']).waitFor()
  expect(await page.locator('tbody [aria-pressed=true]').textContent()).toBe(last['vault_name'])
  const of = `vault_id=${last['vault_id']}`
  const results = await answer(`op/vault.performance?${of}`)
  await page.locator('[aria-label="Performance"] tbody tr').first().waitFor()
  const shown = await tableOf(page, '[aria-label="Performance"] table')
  expect(shown.map(([, ...cells]) => cells)).toEqual(
    results.rows.map((row: Row) => [
      withSign(row['incremental_net_pnl']),
      `${amount(100 * Number(row['max_drawdown']))}%`,
      amount(row['volume']),
      amount(row['fees']),
    ]),
  )
  const held = await answer(`op/vault.positions?${of}`)
  const positions = await tableOf(page, '[aria-label="Open positions"] table')
  expect(positions.map(([, , ...prices]) => prices)).toEqual(
    held.rows.map((row: Row) => [grouped(row['average_open_price']), grouped(row['mark_price'])]),
  )
})

/** Each page, a panel and its read, and what it says where that read finds nothing. */
const PAGES = [
  [
    'leaderboard',
    'Traders by volume',
    '**/api/prep/leaderboard?*',
    'The venue has no ranking for this period.',
  ],
  [
    'liquidations',
    'Latest liquidations',
    '**/api/prep/liquidations?*',
    'No position was liquidated of late.',
  ],
  ['vaults', 'Choose a vault', '**/api/prep/op/vault.info', 'The venue has no vaults.'],
] as const

test.each(PAGES)(
  'it is said that a page loads, failed or has nothing: %s',
  async (name, title, path, empty) => {
    const { page: other, context } = await fixture.openFast('/favicon.svg')
    const { promise: asked, resolve: ask } = Promise.withResolvers<Route>()
    await other.route(path, ask)
    await other.goto(`${fixture.origin}/trade/${name}`)
    const panel = other.getByRole('region', { name: title })
    await panel.getByText('Loading…').waitFor()
    expect(await panel.getAttribute('aria-busy')).toBe('true')
    const json = { error: 'No.', code: 'upstream_unavailable' }
    await (await asked).fulfill({ status: 503, json })
    const failed = panel.locator('.notice')
    await failed.getByText('The venue cannot be reached.').waitFor()
    expect(await other.getByText(empty).count()).toBe(0)
    await other.unroute(path)
    await other.route(path, (route) => route.fulfill({ json: { rows: [] } }))
    await failed.getByRole('button', { name: 'Look again' }).press('Enter')
    await other.getByText(empty).waitFor()
    expect(await failed.count()).toBe(0)
    await context.close()
  },
)

test('what is shown stays when it cannot be read again, and says how old it is', async () => {
  const { page: other, context } = await fixture.openFast('/trade/leaderboard')
  await other.locator('tbody tr').first().waitFor()
  await other.route('**/api/prep/leaderboard?*', (route) =>
    route.fulfill({ status: 503, json: { error: 'No.', code: 'upstream_unavailable' } }),
  )
  const shown = await tableOf(other, 'table')
  await other.evaluate('window.aheadMs = 600_000')
  await other.locator('.page .stale').getByText('10 min old').waitFor()
  expect(await tableOf(other, 'table')).toEqual(shown)
  await context.close()
})

test('none of the pages had anything to complain about', () => expect(complaints).toEqual([]))

async function answer(path: string) {
  return Object(await (await fixture.target.fetch(`/api/prep/${path}`)).json())
}

/** The cells of a table, row by row. */
async function tableOf(from: Page, selector: string): Promise<readonly (readonly string[])[]> {
  const rows = await from.locator(`.page ${selector} tbody tr`).all()
  return Promise.all(
    rows.map(async (row) => (await row.locator('td').allTextContents()).map((text) => text.trim())),
  )
}

function amount(value: unknown): string {
  const text = Number(value).toLocaleString('en', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  })
  return text.replace('-', '−').replace(/^−0\.00$/, '0.00')
}

/** A number without its sign, with the places that it has. */
function grouped(value: unknown): string {
  return Math.abs(Number(value)).toLocaleString('en', { maximumFractionDigits: 20 })
}

function withSign(value: unknown): string {
  const text = amount(value)
  return /^(?:−|0\.00$)/.test(text) ? text : `+${text}`
}
