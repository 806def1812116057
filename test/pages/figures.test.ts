import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { changeTone, fixedText, signed } from '../../src/pages/common/format.ts'
import { accountFills } from '../../src/pages/trade/account/fills.ts'
import { fundingCharges, fundingSince } from '../../src/pages/trade/account/funding.ts'
import { distanceToLiquidation } from '../../src/pages/trade/account/liquidation-distance.ts'
import {
  accountPositions,
  openingMargin,
  positionAtMark,
} from '../../src/pages/trade/account/rows.ts'
import { amountText, toAmount } from '../../src/perp/amounts.ts'
import { settingsFolder } from '../settings-folder.ts'
import type { OpenedPage } from './browser.ts'
import {
  eventually,
  fillIn,
  gone,
  notice,
  openPageFixture,
  openThrowAway,
  type PageFixture,
  placeResting,
  STILL,
  ticket,
} from './fixture.ts'
import { KEPT_OR_SHOWN, keptSecrets } from './secrets.ts'

test.each([
  ['-0.001', '0.00', ''],
  ['0.001', '0.00', ''],
  ['-0.005', '−0.01', 'down'],
  ['0.005', '+0.01', 'up'],
  ['0', '0.00', ''],
] as const)('%s is shown as %s in the colour that it reads as', (text, shown, tone) => {
  const value = toAmount(text.replace('-', '')) ?? 0n
  const amount = text.startsWith('-') ? -value : value
  expect([signed(amount, 2), changeTone(amount, 2)]).toEqual([shown, tone])
})

/** A position whose entry is 2,000, at a mark. */
function position(size: string, mark: string, more: Readonly<Record<string, string>> = {}) {
  const [row] = accountPositions({
    rows: [
      {
        ...{ symbol: 'PERP_ETH_USDC', position_qty: size, average_open_price: '2000' },
        ...{ mark_price: mark, unsettled_pnl: '-47.62', imr: '0.1', leverage: '10', ...more },
      },
    ],
  })
  if (!row) throw new Error('no position')
  return row
}

describe('the result of a position', () => {
  test.each([
    ['nothing at its entry, whatever fees it paid', '1', '2000', '0.00'],
    ['what a short has won', '-1', '1950', '50.00'],
    ['what a long has lost', '2', '1990', '−20.00'],
  ])('is %s', (_, size, mark, wanted) => {
    expect(fixedText(position(size, mark).unrealized, 2)).toBe(wanted)
  })

  test('follows the mark, and what is unsettled with it', () => {
    const moved = positionAtMark(position('2', '2000'), toAmount('2010') ?? 0n)
    expect([fixedText(moved.unrealized, 2), fixedText(moved.unsettled, 2)]).toEqual([
      '20.00',
      '−27.62',
    ])
  })

  test('and its distance from liquidation ignore a mark price of zero, which is unknown', () => {
    const held = position('2', '2000', { est_liq_price: '1800' })
    expect(positionAtMark(held, 0n)).toEqual(held)
    expect(distanceToLiquidation(held)).toBe(toAmount('0.1'))
    expect(distanceToLiquidation({ ...held, mark: 0n })).toBeNull()
  })

  test('is a share of the margin of its entry, or of an isolated position’s own', () => {
    expect(fixedText(openingMargin(position('-2', '1900')), 2)).toBe('400.00')
    const own = { margin_mode: 'ISOLATED', margin: '123' }
    expect(fixedText(openingMargin(position('-2', '1900', own)), 2)).toBe('123.00')
  })
})

test('what a position was charged is not known where its opening is not', () => {
  const symbol = 'PERP_ETH_USDC'
  const row = { symbol, position_qty: '1', average_open_price: '2000', mark_price: '2000' }
  const charges = fundingCharges({
    rows: [{ symbol, funding_fee: '3', payment_type: 'Pay', created_time: '1500' }],
  })
  const shown = (
    times: Readonly<Record<string, string>>,
    closed: Readonly<Record<string, string>>,
  ) => {
    const [position] = accountPositions({ rows: [{ ...row, ...times }] })
    const past = { rows: [{ symbol, status: 'closed', close_timestamp: '900', ...closed }] }
    const sum = position && fundingSince(charges, past, position)
    return sum && amountText(sum)
  }
  expect(shown({ timestamp: '1000', updated_time: '1400' }, {})).toBe('-3')
  expect(shown({ timestamp: '1000' }, {})).toBe('-3')
  expect(shown({}, {})).toBeNull()
  expect(shown({ timestamp: '0', updated_time: '1400' }, {})).toBeNull()
  expect(shown({ timestamp: '1600', updated_time: '1400' }, {})).toBeNull()
  const opened = { timestamp: '1000', updated_time: '1400' }
  expect(shown(opened, { close_timestamp: '1000' })).toBe('-3')
  expect(shown(opened, { close_timestamp: '1001' })).toBeNull()
  expect(shown(opened, { close_timestamp: '1001', status: 'partial_closed' })).toBe('-3')
  expect(shown(opened, { close_timestamp: '1001', symbol: 'PERP_BTC_USDC' })).toBe('-3')
})

test('a fee, a PnL and a charge that are missing are unknown, and not zero', () => {
  const [fill, other] = accountFills({
    rows: [{ fee: '0.5', fee_asset: 'USDC', realized_pnl: '0' }, {}],
  })
  expect(fill).toMatchObject({ fee: toAmount('0.5'), feeToken: 'USDC', pnl: 0n })
  expect(other).toMatchObject({ fee: null, pnl: null })
  const [paid, missing] = fundingCharges({
    rows: [{ funding_fee: '2', payment_type: 'Pay' }, { payment_type: 'Pay' }],
  })
  expect(paid?.amount).toBe(toAmount('-2'))
  expect(missing?.amount).toBeNull()
})

describe('the account on the trading page', () => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    opened = await fixture.openFast('/trade/PERP_ETH_USDC')
    page = opened.page
  })
  afterAll(() => fixture.stop())

  test('goes to the market that a search finds first with Enter', async () => {
    await page.locator('.bids .level').first().waitFor()
    const search = page.getByLabel('Search markets')
    await search.press('Enter')
    expect(page.url()).toEndWith('/trade/PERP_ETH_USDC')
    await search.fill('sol')
    await search.press('Enter')
    await page.getByRole('heading', { name: 'SOL-PERP' }).waitFor()
    await search.fill('nothing of the kind')
    await search.press('Enter')
    expect(page.url()).toEndWith('/trade/PERP_SOL_USDC')
    await page.goBack()
    await page.getByRole('heading', { name: 'ETH-PERP' }).waitFor()
  })

  test('is not opened any further once its dialog is closed', async () => {
    const posted = () => opened.requests.filter((text) => text.startsWith('POST'))
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api/prep/typed-data', async (route) => {
      await held
      await route.continue()
    })
    await page.locator('header').getByText('Connect', { exact: true }).click()
    const asked = page.waitForRequest('**/api/prep/typed-data')
    await page.getByText('Use a throw-away wallet').click()
    await asked
    await page.locator('dialog').getByText('Working…').waitFor()
    await page.keyboard.press('Escape')
    await notice(page, /^Stopped: nothing more is signed or sent\./)
    const answered = page.waitForResponse('**/api/prep/typed-data')
    release()
    await answered
    await page.unroute('**/api/prep/typed-data')
    await page.locator('header').getByText('Connect', { exact: true }).click()
    await page.getByText('Use a throw-away wallet').waitFor()
    expect(posted()).toHaveLength(1)
    // Nor is the secret kept of a wallet that has no account.
    expect(await keptSecrets(page)).toEqual({ rows: 0, isExtractable: null })
    await page.keyboard.press('Escape')
  })

  const bar = () => page.locator('#account meter')

  test('has no margin ratio without a position', async () => {
    await openThrowAway(page)
    const ratio = page.locator('#account .pairs div').filter({ hasText: 'Margin ratio' })
    expect(await ratio.locator('dd').textContent()).toBe('–')
    expect(await bar().count()).toBe(0)
    await page.getByLabel('Show what is signed first').uncheck()
  })

  test('shows what a position has won, and apart from it what it has paid', async () => {
    await fillIn(page, 'MARKET', '0.5', '0.1')
    await ticket.submit(page).click()
    const row = page.locator('.lists tr[data-symbol=PERP_ETH_USDC]')
    await row.waitFor()
    // At one moment: the mark follows the trade.
    const [entry = 0, mark = 0, shown = Number.NaN] = await page.evaluate<number[]>(`(() => {
      const row = document.querySelector('.lists tr[data-symbol=PERP_ETH_USDC]')
      const prices = [...row.querySelectorAll('[data-name="Entry / mark"] > *')].map((cell) => cell.textContent.replaceAll(',', ''))
      return [...prices, row.querySelector('[data-pnl]').dataset.pnl].map(Number)
    })()`)
    // Entry is rounded to the tick where it is shown.
    expect(Math.abs(shown - 0.1 * (mark - entry))).toBeLessThan(0.01)
    await row.locator('[data-name^=Funding] > span').getByText('0.00').waitFor()
    await eventually(
      async () => (await row.locator('td:has(> small)').allTextContents()).join(' '),
      (cost) => /2\d\.\d\d−0\.1\d 0\.00−0\.1\d$/.test(cost),
    )
    const figure = async (name: string) => {
      const pair = page.locator('#account .pairs div').filter({ hasText: name })
      return (await pair.locator('dd').textContent()) ?? ''
    }
    // The change of the account's value, of which the fee is a part.
    const fees = await eventually(
      () => figure('Fees 24 h'),
      (text) => /^−0\.1\d USDC$/.test(text),
    )
    const [net, paid] = [await figure('PnL 24 h'), fees].map((text) =>
      Number.parseFloat(text.replace('−', '-')),
    )
    expect(net).toBeCloseTo(shown + (paid ?? 0), 1)
    expect(await figure('Funding 24 h')).toBe('0.00 USDC')
    expect(await figure('Margin ratio')).toMatch(/^\d+\.\d%$/)
    // The maintenance margin of ETH at its least rate, of the collateral: the position is small.
    const used = await bar().evaluate((meter) => Number(Reflect.get(meter, 'value')))
    expect(used).toBeCloseTo((0.006 * 0.1 * mark) / 10_000, 6)
  })

  // Slow: a page is used, loaded again and left without its key.
  test('is not lost by a click: what is open is named, and the wallet’s secret can be saved', async () => {
    await placeResting(page, '0.05')
    await notice(page, /^Rests at/)
    await page.getByText('Forget this key').click()
    const dialog = page.locator('dialog')
    await dialog.getByText('Long 0.1000 ETH').waitFor()
    await dialog.getByText('Buy 0.0500 ETH').waitFor()
    await dialog.getByText('or the account is lost').waitFor()
    const saving = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Save the wallet’s secret' }).click()
    const download = await saving
    expect(download.suggestedFilename()).toMatch(/^wallet-0x[0-9a-f]{40}\.txt$/i)
    using folder = settingsFolder()
    await download.saveAs(folder.path('secret'))
    expect(readFileSync(folder.path('secret'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Forget this key').waitFor()
    const secret = readFileSync(folder.path('secret'), 'utf8')
    await page.reload()
    await page.getByText('Forget this key').click()
    const savingAgain = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Save the wallet’s secret' }).click()
    await (await savingAgain).saveAs(folder.path('again'))
    expect(readFileSync(folder.path('again'), 'utf8')).toBe(secret)
    expect(await keptSecrets(page)).toEqual({ rows: 1, isExtractable: false })
    expect(await page.evaluate<string>(KEPT_OR_SHOWN)).not.toContain(secret.trim())
    // A secret that the browser fails to delete: the key is kept too, so that both can be forgotten later.
    await page.evaluate(FAIL_ONE_DELETION)
    await dialog.getByRole('button', { name: 'Forget the key' }).click()
    await notice(page, /^This browser could not delete/)
    expect(await keptSecrets(page)).toEqual({ rows: 1, isExtractable: false })
    await page.getByText('Forget this key').click()
    await dialog.getByRole('button', { name: 'Forget the key' }).click()
    await notice(page, /^The key is forgotten in this browser\./)
    await gone(page.locator('#account'))
    expect(await keptSecrets(page)).toEqual({ rows: 0, isExtractable: null })
    // Whether the wallet has an account is asked for again after an opening that was left.
    expect(opened.complaints.filter((text) => !text.includes('404'))).toEqual([])
  })
})

const FAIL_ONE_DELETION = `(() => {
  const { delete: remove } = IDBObjectStore.prototype
  IDBObjectStore.prototype.delete = () => {
    IDBObjectStore.prototype.delete = remove
    throw new DOMException('The disk is full.', 'UnknownError')
  }
})()`
