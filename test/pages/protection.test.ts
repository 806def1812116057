// Slow: a browser trades, and prices move until orders are triggered.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type ConditionalFixture, openConditionalFixture } from './conditional-fixture.ts'
import { chooseType, eventually, fillIn, gone, list, notice, ticket } from './fixture.ts'

let it: ConditionalFixture
let page: Page
let mark: number
beforeAll(async () => {
  it = await openConditionalFixture()
  ;({ page, mark } = it)
})
afterAll(() => it.fixture.stop())

/** A distance in per cent, as the page writes it. */
function percentOf(distance: number, from: number): string {
  return String(Math.round((distance / from) * 10_000) / 100)
}

/** The label of the field that has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.labels[0].textContent')
}

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
    // What each would win or lose, and how far it is from the price of the order.
    const outcomes = page.locator('.ticket .leg > small')
    expect(await outcomes.allTextContents()).toEqual(['+12.50 USDC', '−7.50 USDC'])
    expect(await leg('SL % below entry').inputValue()).toBe(percentOf(150, mark - 50))
    await leg('SL % below entry').fill('x')
    expect(await leg('Stop loss').inputValue()).toBe('')
    await leg('SL % below entry').fill('5')
    // On the tick, and no further away than was typed.
    const stop = Math.ceil((mark - 50) * 95) / 100
    expect(Number(await leg('Stop loss').inputValue())).toBeCloseTo(stop, 6)
    await leg('Stop loss').fill(String(mark - 40))
    expect(await leg('SL % below entry').inputValue()).toBe('')
    await leg('Stop loss').fill(String(mark - 200))
    await page.setViewportSize({ width: 360, height: 760 })
    await page.locator('nav.tabs').getByText('Trade').click()
    const isWhole = '(input) => input.scrollWidth <= input.clientWidth && input.clientWidth > 40'
    const inputs = `[...document.querySelectorAll('.ticket .leg input')]`
    expect(await page.evaluate(`${inputs}.every(${isWhole})`)).toBe(true)
    await page.setViewportSize({ width: 1440, height: 900 })
    await ticket.size(page).fill('')
    expect(await outcomes.allTextContents()).toEqual(['', ''])
    await ticket.size(page).fill('0.05')
    await ticket.submit(page).click()
    await notice(page, /^Rests at [\d.,]+: Buy 0\.0500 ETH\. Attached: TP [\d.,]+ · SL/)
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
    // They were for this order: the next one has none.
    await eventually(
      () => page.getByLabel('TP/SL', { exact: true }).isChecked(),
      (isChecked) => !isChecked,
    )
    await it.cancelOnly()
    // Its order in the book goes with it.
    await gone(list(page, 'orders').locator('.count'))
  })

  test('attached to an order at the market wait for the position that it opens', async () => {
    await chooseType(page, 'MARKET')
    await ticket.size(page).fill('0.05')
    const unlimited = page.locator('.ticket').getByText('the venue applies no slippage limit')
    expect(await unlimited.count()).toBe(0)
    await page.getByLabel('TP/SL', { exact: true }).check()
    await unlimited.getByText('up to 3.00% from the mark').waitFor()
    expect(await page.getByLabel('Slippage at most').count()).toBe(0)
    expect(await leg('Take profit').inputValue()).toBe('')
    await leg('Stop loss').fill(String(mark - 200))
    await ticket.submit(page).click()
    await notice(page, /^Filled: Buy 0\.0500 ETH at [\d.,]+\. Its stop loss waits under/)
    const row = await it.venueRow(({ algo_type }) => algo_type === 'TP_SL')
    expect(row).toMatchObject({ quantity: 0.05, child_orders: [{ algo_type: 'STOP_LOSS' }] })
    await list(page, 'positions').click()
    const shown = page.locator('td[data-legs]')
    await shown.getByText(/^SL [\d.,]+$/).waitFor()
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    await page
      .locator('dialog dd')
      .getByText(/^SL [\d.,]+ · 0\.0500 ETH$/)
      .waitFor()
    // A second one of a part: the row has room for their number, which leads to them.
    await page.locator('dialog').getByRole('button', { name: 'Part' }).click()
    await page.locator('dialog .entry input').nth(0).fill('0.02')
    await page.getByLabel('Take profit at a mark price of').fill(String(mark + 300))
    await page.locator('dialog').getByRole('button', { name: 'Sign and set' }).click()
    await notice(page, /^Waits: Sell 0\.0200 ETH/)
    await shown.getByRole('button', { name: '2 on parts' }).click()
    await rows().nth(1).waitFor()
    await rows()
      .filter({ hasText: /TP \d/ })
      .getByRole('button', { name: /^Cancel order/ })
      .click()
    await notice(page, /^Cancelled: ETH, TP\/SL of a part, TP [\d.,]+\./)
    await eventually(
      () => rows().count(),
      (count) => count === 1,
    )
    await it.cancelOnly()
  })

  test('of a position close all of it, and are changed in place', async () => {
    await list(page, 'positions').click()
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    const dialog = page.locator('dialog')
    const [take, stop] = [dialog.getByLabel('Take profit at'), dialog.getByLabel('Stop loss at')]
    // Typing begins where a stop is given, as nearly everybody wants one.
    expect(await focused(page)).toBe('SL % below entry')
    await take.fill(String(mark - 10))
    await dialog.getByText('Take profit: it belongs above').waitFor()
    expect(await dialog.getByRole('button', { name: 'Sign and set' }).isDisabled()).toBe(true)
    await take.fill('')
    // So many per cent from the entry are a price on the tick, and the other way round.
    await dialog.getByLabel('SL % below entry').fill('10.004')
    const held = await stop.inputValue()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    // What was typed before is not kept: the position may have another entry by now.
    await stop.fill(held)
    expect(await dialog.getByLabel('SL % below entry').inputValue()).toBe('10')
    await dialog.getByLabel('SL % below entry').fill('10')
    const tenth = Number(await stop.inputValue())
    expect(tenth / mark).toBeCloseTo(0.9, 2)
    expect(await stop.inputValue()).toMatch(/^\d+(\.\d\d?)?$/)
    await stop.fill(String(mark - 300))
    expect(await dialog.getByLabel('SL % below entry').inputValue()).toMatch(/^1\d(\.\d\d?)?$/)
    // What the stop would lose is below it.
    await dialog.getByText(/^−\d+\.\d\d USDC; −\d+\.\d% from the mark$/).waitFor()
    expect(await dialog.locator('.bytes').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Sign and set SL' }).click()
    await notice(page, /^Protects the whole position: SL/)
    const row = await it.venueRow(({ algo_type }) => algo_type === 'POSITIONAL_TP_SL')
    expect(row.child_orders).toMatchObject([
      { algo_type: 'STOP_LOSS', type: 'CLOSE_POSITION', trigger_price: mark - 300 },
    ])
    const shown = page.locator('td[data-legs]').getByText('SL')
    await shown.waitFor()
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    expect([await take.count(), await stop.count()]).toEqual([0, 1])
    expect(await focused(page)).toBe('SL % below entry')
    await dialog.getByText('Remove this stop loss to').waitFor()
    await stop.fill(String(mark - 310))
    await dialog.getByRole('button', { name: 'Sign and change SL' }).click()
    await notice(page, /^Changed\. Protects the whole position: SL/)
    await it.venueRow((found) => Object(found['child_orders'])[0].trigger_price === mark - 310)
  })

  test('of a whole position are removed where they are seen, after a question that says so', async () => {
    const asks = page.getByLabel('Show what is signed first')
    const dialog = page.locator('dialog')
    const remove = async () => {
      await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
      await dialog.getByRole('button', { name: 'Remove it' }).click()
      await dialog.getByRole('heading', { name: 'Cancel order' }).waitFor()
    }
    await asks.check()
    await remove()
    expect(await dialog.getByText('Sign and send').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Keep order', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.locator('td[data-legs]').textContent()).toMatch(/^SL/)
    await remove()
    await dialog.getByRole('button', { name: 'Cancel order', exact: true }).click()
    await notice(page, /^Cancelled: ETH, TP\/SL of the position, SL [\d.,]+\./)
    await eventually(
      () => page.locator('td[data-legs]').textContent(),
      (text) => text === '–No stop',
    )
    await asks.uncheck()
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    await dialog.getByLabel('Stop loss at').fill(String(mark - 310))
    await dialog.getByRole('button', { name: 'Sign and set' }).click()
    await notice(page, /^Protects the whole position: SL/)
  })

  test('of a position may close a part beside, and all are cancelled at once', async () => {
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    const dialog = page.locator('dialog')
    await dialog.getByRole('button', { name: 'Part' }).click()
    const inputs = dialog.locator('.entry input')
    await inputs.nth(0).fill('0.06')
    await dialog.getByText('The position is 0.0500 ETH').waitFor()
    await inputs.nth(0).fill('0.02')
    await dialog.getByLabel('Take profit at').fill(String(mark + 300))
    await dialog.getByRole('button', { name: 'Sign and set' }).click()
    await notice(page, /^Waits: Sell 0\.0200 ETH at the trigger TP/)
    await list(page, 'conditional').click()
    await eventually(
      () => rows().count(),
      (count) => count === 2,
    )
    await page.locator('.lists').getByRole('button', { name: 'Cancel all' }).click()
    await dialog.getByRole('button', { name: 'Cancel 2 orders' }).click()
    await dialog.getByText('Cancelled: 2 of 2.').waitFor()
    await dialog.locator('.primary').click()
    await page.getByText('No orders wait for a price.').waitFor()
  })

  test('end without a complaint of the browser', () => {
    expect(it.opened.complaints.filter((text) => !text.includes('ERR_CONNECTION_RESET'))).toEqual(
      [],
    )
  })
})
