// Slow: a browser opens pages.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { DESKTOP } from './browser.ts'
import { eventually, FAST, gone, openPageFixture, type PageFixture, STILL } from './fixture.ts'

let fixture: PageFixture
beforeAll(async () => {
  fixture = await openPageFixture(STILL)
})
afterAll(() => fixture.stop())

const OPENING = '2099-12-01T14:30:00Z'
const NOTE = 'The index price stands still.'
const CLOSED = { symbol: 'PERP_ETH_USDC', open: false, closesAt: null, note: NOTE }

type Session = { readonly symbol: string; readonly [name: string]: unknown }

/** The trading page on the ETH market for a reader in a zone, where the server answers these sessions. */
async function openWith(rows: readonly Session[], zone = 'UTC') {
  const opened = await fixture.open('/favicon.svg', { ...DESKTOP, zone })
  const { page } = opened
  await page.addInitScript(FAST)
  const json = { rows, symbols: rows.map(({ symbol }) => symbol) }
  await page.route('**/api/prep/market-sessions', (route) => route.fulfill({ json }))
  const answered = page.waitForResponse('**/api/prep/market-sessions')
  await page.goto(`${fixture.origin}/trade/PERP_ETH_USDC`)
  await page.locator('.ticket .submit').waitFor()
  await answered
  return opened
}

test.each([
  ['UTC', '01 Dec 14:30:00'],
  ['Asia/Tokyo', '01 Dec 23:30:00'],
])(
  'a closed market says until when, in the reader’s zone, and what holds meanwhile: %s',
  async (zone, time) => {
    const opensAt = Date.parse(OPENING)
    const { page, context, complaints } = await openWith([{ ...CLOSED, opensAt }], zone)
    await page.locator('.ticket').getByText(`ETH is closed until ${time}. ${NOTE}`).waitFor()
    // The server's clock moves too: the page would otherwise correct its own clock by it.
    const date = new Date(opensAt).toUTCString()
    await page.route('**/api/prep/op/platform.ipInfo', (route) =>
      route.fulfill({ headers: { date }, json: {} }),
    )
    await page.evaluate(`window.aheadMs = ${opensAt} - Date.now()`)
    await gone(page.getByText('ETH is closed'))
    expect(complaints).toEqual([])
    await context.close()
  },
)

test('a closed market whose opening is not known is closed without a time', async () => {
  const { page, context } = await openWith([{ ...CLOSED, opensAt: null }])
  await page.locator('.ticket').getByText(`ETH is closed. ${NOTE}`).waitFor()
  await context.close()
})

test('an open market, and one beside a closed one, are not said to be closed', async () => {
  const open = { ...CLOSED, open: true, opensAt: null, note: '' }
  const rows = [open, { ...CLOSED, symbol: 'PERP_BTC_USDC', opensAt: null }]
  const { page, context } = await openWith(rows)
  await page.locator('.markets').getByRole('button', { name: 'BTC', exact: true }).click()
  await page.getByText('BTC is closed.').waitFor()
  await page.locator('.markets').getByRole('button', { name: 'ETH', exact: true }).click()
  await gone(page.getByText('is closed'))
  await context.close()
})

test.each([
  [
    'with hours that the venue publishes is',
    [{ ...CLOSED, open: true, opensAt: null, note: '' }],
    true,
  ],
  ['without any is not', [], false],
])('a market of any name %s among those of the real world', async (_, rows, expected) => {
  const { page, context } = await openWith(rows)
  const inGroup = async (name: string, symbol: string) => {
    await page.locator(`.markets [data-group=${name}]`).click()
    // Of the real world by its name, so that the group has been drawn.
    const sure = name === 'rwa' ? 'PERP_XAU_USDC' : 'PERP_BTC_USDC'
    await page.locator(`.markets tr[data-symbol=${sure}]`).waitFor()
    return (await page.locator(`.markets tr[data-symbol=${symbol}]`).count()) > 0
  }
  await eventually(
    () => inGroup('rwa', 'PERP_ETH_USDC'),
    (is) => is === expected,
  )
  expect(await inGroup('crypto', 'PERP_ETH_USDC')).toBe(!expected)
  expect(await inGroup('crypto', 'PERP_XAU_USDC')).toBe(false)
  await context.close()
})
