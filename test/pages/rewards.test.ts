// Slow: a browser opens an account and reads a page.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openPageFixture, openTrader, type PageFixture, STILL } from './fixture.ts'
import { privateAnswers } from './private-answers.ts'

let fixture: PageFixture
let page: Page
let complaints: string[]
beforeAll(async () => {
  fixture = await openPageFixture(STILL)
  ;({ page, complaints } = await openTrader(fixture))
  await page.goto(`${fixture.origin}/trade/rewards`)
})
afterAll(() => fixture.stop())

test('a new account has no code, nobody invited, and no points where there are none', async () => {
  await page.getByText('This account has no referral code.').waitFor()
  await page.getByText('You joined without a code.').waitFor()
  await page.getByText('This server does not offer points.').waitFor()
  expect(await cells(page, 'Referral by period')).toEqual(
    ['24 hours', '7 days', '30 days', 'Lifetime'].map((period) =>
      [period, '0', '0', '0.00', '0.00', '0.00'].join('|'),
    ),
  )
})

test('codes, periods and points are as they are answered, and what is not is not known', async () => {
  const other = await page.context().newPage()
  await privateAnswers(other).change('/v1/referral/info', () => ({
    referrer_info: {
      total_invites: 1200,
      total_referrer_rebate: 7.125,
      referral_codes: [
        { code: 'WAVES', referrer_rebate_rate: 0.15, referee_rebate_rate: 0.05, total_invites: 3 },
      ],
    },
    referee_info: { referer_code: 'OCEAN', total_referee_rebate: 0.5 },
  }))
  const merits = {
    ...{ total_points: 12_345.5, global_rank: 7, tier: 2, current_epoch_points: 0 },
    rows: [
      { epoch_id: 9, points: 45.5, rank: 1 },
      { epoch_id: 8, points: 2, rank: null },
    ],
  }
  const epochs = { rows: [{ epoch_id: 9, epoch_start_date: 0, epoch_end_date: 604_800_000 }] }
  await other.route('**/api/prep/points?*', (route) =>
    route.fulfill({ json: { enabled: true, merits, epochs } }),
  )
  await other.goto(`${fixture.origin}/trade/rewards`)
  await other.getByText('You joined with the code OCEAN.').waitFor()
  expect(await cells(other, 'Your referral code')).toEqual(['WAVES|15.00%|5.00%|3|not known'])
  const periods = await cells(other, 'Referral by period')
  expect(periods[0]).toBe('24 hours|not known|not known|not known|not known|not known')
  expect(periods.at(-1)).toBe('Lifetime|1,200|not known|not known|7.13|0.50')
  await other.locator('.tiles').waitFor()
  expect(await other.locator('.tiles dd').allTextContents()).toEqual([
    '12,345.5',
    '7',
    '2',
    '0',
    'not known',
  ])
  expect(await cells(other, 'Points')).toEqual([
    '1 Jan 1970 to 8 Jan 1970|45.5|1',
    'Epoch 8|2|not known',
  ])
  await other.close()
})

test('a wallet without points has none, and an answer that fails can be asked for again', async () => {
  const other = await page.context().newPage()
  await other.route('**/api/prep/points?*', (route) =>
    route.fulfill({ status: 503, json: { error: 'No.', code: 'upstream_unavailable' } }),
  )
  await other.goto(`${fixture.origin}/trade/rewards`)
  const panel = other.getByRole('region', { name: 'Points', exact: true })
  await panel.getByText('The venue cannot be reached.').waitFor()
  await other.unroute('**/api/prep/points?*')
  await other.route('**/api/prep/points?*', (route) =>
    route.fulfill({ json: { enabled: true, merits: null, epochs: null } }),
  )
  await panel.getByRole('button', { name: 'Look again' }).press('Enter')
  await panel.getByText('This wallet has no points yet.').waitFor()
  await other.close()
})

test('without an account it says what it needs', async () => {
  const { page: other, context, complaints: others } = await fixture.openFast('/trade/rewards')
  await other.getByText('Open an account, or bind a key').waitFor()
  expect(others).toEqual([])
  expect(complaints).toEqual([])
  await context.close()
})

/** The cells of the table in a panel, a row a text. */
async function cells(from: Page, title: string): Promise<readonly string[]> {
  const panel = from.getByRole('region', { name: title, exact: true })
  await panel.locator('tbody tr').first().waitFor()
  const rows = await panel.locator('tbody tr').all()
  return Promise.all(
    rows.map(async (row) =>
      (await row.locator('td').allTextContents()).map((text) => text.trim()).join('|'),
    ),
  )
}
