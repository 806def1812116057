// Slow: a browser trades, and prices move until orders are triggered.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type ConditionalFixture, openConditionalFixture } from './conditional-fixture.ts'
import { chooseType, eventually, list, notice, ticket } from './fixture.ts'

const RELAY = '**/api/prep/relay'

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
const fields = () => page.locator('.ticket .entry input')
/** Waits until the ticket says how far this price is from the mark that the page shows. */
const isFromMark = (price: (mark: number) => number) =>
  eventually(
    () =>
      page.evaluate<string[]>(
        "['.stats .big', '.ticket .pairs div:nth-child(2) dd'].map((at) => document.querySelector(at).textContent)",
      ),
    ([markText = '', distance = '']) => {
      const shown = Number(distance.replace('−', '-').replace('%', ''))
      const exact = Number(markText.replaceAll(',', ''))
      return distance !== '' && Math.abs(shown - (price(exact) / exact - 1) * 100) < 0.02
    },
  )
const cells = async () => (await rows().first().locator('td').allTextContents()).slice(1, 6)

describe('an order that waits for a price', () => {
  test('is a stop at the market, which is listed as the venue has it, changed and cancelled', async () => {
    await chooseType(page, 'STOP')
    await page.locator('.sides [data-name=SELL]').click()
    await reason().getByText('Give a trigger.').waitFor()
    await fields()
      .nth(0)
      .fill(String(mark - 100))
    await fields().nth(1).fill('0.05')
    await ticket.submit(page).click()
    await notice(page, /^Waits: Sell 0\.0500 ETH at the trigger/)
    await list(page, 'conditional').click()
    const row = await it.venueRow(({ algo_type }) => algo_type === 'STOP')
    expect(row).toMatchObject({
      ...{ side: 'SELL', type: 'MARKET', quantity: 0.05, trigger_price: mark - 100 },
      ...{ reduce_only: false, trigger_price_type: 'MARK_PRICE' },
    })
    const trigger = new RegExp(`^${(mark - 100).toLocaleString('en')}\\.00−\\d\\.\\d%$`)
    await rows().first().waitFor()
    const [side, kind, at, sent, size] = await cells()
    expect([side, kind, sent, size]).toEqual(['Sell', 'Stop', 'market', '0.0500'])
    expect(at).toMatch(trigger)

    await rows()
      .getByRole('button', { name: /^Edit order/ })
      .click()
    const inputs = page.locator('dialog .entry input')
    const save = page.locator('dialog').getByRole('button', { name: 'Change' })
    // What stays as it is is no change.
    expect(await save.isDisabled()).toBe(true)
    await inputs.nth(0).fill('0.001')
    expect(await save.isDisabled()).toBe(true)
    await inputs.nth(0).fill(String(mark - 200))
    await inputs.nth(1).fill('0.06')
    await save.click()
    await notice(page, /^Changed\. Waits: Sell 0\.0600 ETH/)
    await it.venueRow(
      ({ trigger_price, quantity }) => trigger_price === mark - 200 && quantity === 0.06,
    )
    await it.cancelOnly()
  })

  test('is a stop with a limit, which says what its price would meet at the trigger', async () => {
    await chooseType(page, 'STOP')
    await page.locator('.sides [data-name=BUY]').click()
    await page.getByLabel('Sent as').selectOption('LIMIT')
    await fields()
      .nth(0)
      .fill(String(mark + 100))
    await fields()
      .nth(1)
      .fill(String(mark * 2))
    await fields().nth(2).fill('0.05')
    await reason().getByText('At the trigger this price would be too far').waitFor()
    // The venue takes it: it may be sent.
    expect(await ticket.submit(page).isEnabled()).toBe(true)
    await fields()
      .nth(1)
      .fill(String(mark + 110))
    await fields().nth(2).fill('900')
    await reason().getByText('The size is above').waitFor()
    await fields().nth(2).fill('100')
    await reason().getByText('Free margin does not carry it now').waitFor()
    await fields().nth(2).fill('0.05')
    // It is the trigger that the mark has to reach, not the limit.
    await isFromMark(() => mark + 100)
    await ticket.submit(page).click()
    await notice(page, /^Waits: Buy 0\.0500 ETH/)
    const row = await it.venueRow(({ type }) => type === 'LIMIT')
    expect(row).toMatchObject({ price: mark + 110, trigger_price: mark + 100, side: 'BUY' })
    await it.cancelOnly()
    await page.getByLabel('Sent as').selectOption('MARKET')
  })

  test('is a trailing stop, which begins at once or at a mark', async () => {
    await chooseType(page, 'TRAILING_STOP')
    await page.locator('.sides [data-name=SELL]').click()
    await fields().nth(0).fill('0')
    await reason().getByText('The distance is above 0%').waitFor()
    await fields().nth(0).fill('2')
    await fields().nth(2).fill('0.05')
    for (const [side, share] of [
      ['BUY', 1.02],
      ['SELL', 0.98],
    ] as const) {
      await page.locator(`.sides [data-name=${side}]`).click()
      await isFromMark((now) => now * share)
    }
    await fields()
      .nth(1)
      .fill(String(mark + 200))
    // Two per cent below the mark at which it begins.
    await isFromMark(() => (mark + 200) * 0.98)
    await ticket.submit(page).click()
    await notice(page, /^Waits: Sell 0\.0500 ETH at the trigger 2\.00% behind, from [\d.,]+ on/)
    const row = await it.venueRow(({ algo_type }) => algo_type === 'TRAILING_STOP')
    expect(row).toMatchObject({ callback_rate: 0.02, activated_price: mark + 200, price: null })
    await it.cancelOnly()
  })

  test('is not placed twice when its answer is lost: it is found by its id', async () => {
    let sent = 0
    await page.route(RELAY, async (route) => {
      const isPlacing = route.request().postData()?.includes('"method":"POST","path":"/v1/algo')
      if (!isPlacing) return route.continue()
      sent += 1
      await route.fetch()
      await route.abort('connectionreset')
    })
    await chooseType(page, 'STOP')
    await fields()
      .nth(0)
      .fill(String(mark - 100))
    await fields().nth(1).fill('0.05')
    await ticket.submit(page).click()
    await notice(page, /^The answer was lost, but the order is at the venue: Open\./)
    await page.unrouteAll({ behavior: 'wait' })
    expect(sent).toBe(1)
    await it.cancelOnly()
  })
})
