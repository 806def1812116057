import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type ConditionalFixture, openConditionalFixture } from './conditional-fixture.ts'
import {
  chooseType,
  eventually,
  fillIn,
  gone,
  list,
  notice,
  TIMEOUT_MS,
  ticket,
} from './fixture.ts'

setDefaultTimeout(TIMEOUT_MS)

let it: ConditionalFixture
let page: Page
let mark: number
beforeAll(async () => {
  it = await openConditionalFixture()
  ;({ page, mark } = it)
})
afterAll(() => it.fixture.stop())

const reason = () => page.locator('#obstacle')
const rows = () => page.locator('tr[data-conditional]')

describe('a take profit and a stop loss', () => {
  const leg = (name: string) => page.locator('.ticket').getByLabel(name, { exact: true })

  test('attached to an order belong on their sides of its price', async () => {
    await fillIn(page, 'LIMIT', String(mark - 50), '0.05')
    await page.locator('.sides [data-name=BUY]').click()
    await page.getByLabel('TP/SL', { exact: true }).check()
    await reason().getByText('Give a take profit or a stop loss.').waitFor()
    await leg('Take profit').fill(String(mark - 60))
    await reason().getByText('Take profit: it belongs above').waitFor()
    expect(await leg('Take profit').getAttribute('aria-invalid')).toBe('true')
    await leg('Take profit').fill(String(mark + 200))
    await leg('Stop loss').fill(String(mark - 40))
    await reason().getByText('Stop loss: it belongs below').waitFor()
    expect(await ticket.submit(page).isDisabled()).toBe(true)
    await leg('Stop loss').fill(String(mark - 200))
    await ticket.submit(page).click()
    await notice(page, /^Rests at [\d.,]+: 0\.0500 ETH\. Attached: TP [\d.,]+ · SL/)
    const row = await it.venueRow(({ algo_type }) => algo_type === 'BRACKET')
    expect(row.child_orders).toMatchObject([
      {
        algo_type: 'TP_SL',
        child_orders: [
          { algo_type: 'TAKE_PROFIT', side: 'SELL', trigger_price: mark + 200 },
          { algo_type: 'STOP_LOSS', side: 'SELL', trigger_price: mark - 200 },
        ],
      },
    ])
    await it.cancelOnly()
    // Its order in the book goes with it.
    await gone(list(page, 'orders').locator('.count'))
  })

  test('attached to an order at the market wait for the position that it opens', async () => {
    await chooseType(page, 'MARKET')
    await ticket.size(page).waitFor()
    await page.locator('.ticket .entry input').first().fill('0.05')
    await leg('Take profit').fill('')
    await leg('Stop loss').fill(String(mark - 200))
    await ticket.submit(page).click()
    await notice(page, /^Filled 0\.0500 ETH at [\d.,]+\. Its take profit and stop loss wait/)
    const row = await it.venueRow(({ algo_type }) => algo_type === 'TP_SL')
    expect(row).toMatchObject({ quantity: 0.05, child_orders: [{ algo_type: 'STOP_LOSS' }] })
    await list(page, 'positions').click()
    await page.locator('td[data-legs]').getByText('1 more').waitFor()
    await page.getByLabel('TP/SL', { exact: true }).uncheck()
    await it.cancelOnly()
  })

  test('of a position close all of it, and are changed in place', async () => {
    await list(page, 'positions').click()
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    const dialog = page.locator('dialog')
    const inputs = dialog.locator('.entry input')
    await inputs.nth(0).fill(String(mark - 10))
    await dialog.getByText('Take profit: it belongs above').waitFor()
    expect(await dialog.getByRole('button', { name: 'Set' }).isDisabled()).toBe(true)
    await inputs.nth(0).fill('')
    await inputs.nth(1).fill(String(mark - 300))
    // What the stop would lose is beside it.
    await dialog.getByText(/^−\d+\.\d\d USDC$/).waitFor()
    await dialog.getByRole('button', { name: 'Set' }).click()
    await notice(page, /^Waits for the whole position: SL/)
    const row = await it.venueRow(({ algo_type }) => algo_type === 'POSITIONAL_TP_SL')
    expect(row.child_orders).toMatchObject([
      { algo_type: 'STOP_LOSS', type: 'CLOSE_POSITION', trigger_price: mark - 300 },
    ])
    const shown = page.locator('td[data-legs]').getByText('SL')
    await shown.waitFor()
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    expect(await inputs.count()).toBe(1)
    await inputs.nth(0).fill(String(mark - 310))
    await dialog.getByRole('button', { name: 'Change' }).click()
    await notice(page, /^Changed\. Waits for the whole position: SL/)
    await it.venueRow((found) => Object(found['child_orders'])[0].trigger_price === mark - 310)
  })

  test('of a position may close a part beside, and all are cancelled at once', async () => {
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    const dialog = page.locator('dialog')
    await dialog.getByRole('button', { name: 'Part' }).click()
    const inputs = dialog.locator('.entry input')
    await inputs.nth(0).fill('0.06')
    await dialog.getByText('The position is 0.0500 ETH').waitFor()
    await inputs.nth(0).fill('0.02')
    await inputs.nth(1).fill(String(mark + 300))
    await dialog.getByRole('button', { name: 'Set' }).click()
    await notice(page, /^Waits: Sell 0\.0200 ETH at the trigger TP/)
    await list(page, 'conditional').click()
    await eventually(
      () => rows().count(),
      (count) => count === 2,
    )
    await page.locator('.lists').getByRole('button', { name: 'Cancel all' }).click()
    await notice(page, /^All are cancelled\./)
    await page.getByText('No orders wait for a price.').waitFor()
  })

  test('end without a complaint of the browser', () => {
    expect(it.opened.complaints.filter((text) => !text.includes('ERR_CONNECTION_RESET'))).toEqual(
      [],
    )
  })
})
