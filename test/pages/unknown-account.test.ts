// Slow: a browser opens an account of which a part cannot be read.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { parsedJson } from '../../src/core/json.ts'
import {
  chooseType,
  eventually,
  fillIn,
  openPageFixture,
  type PageFixture,
  STILL,
  submittable,
  ticket,
} from './fixture.ts'
import { openLinkedTrader } from './linked-trader.ts'

const SYMBOL = 'PERP_ETH_USDC'

let fixture: PageFixture
beforeAll(async () => {
  fixture = await openPageFixture(STILL)
})
afterAll(() => fixture.stop())

/** A page whose reads are answered without some fields, in each row of the answer and in the answer itself. */
async function openWithout(start: string, ...fields: readonly string[]) {
  const trader = await openLinkedTrader(fixture.origin)
  await trader.buy(SYMBOL, 0.05)
  const [{ mark_price: mark }] = (await trader.call('GET', '/v1/positions')).rows
  const price = Math.round(mark * 0.95)
  const { order_id: orderId } = await trader.call('POST', '/v1/order', {
    ...{ symbol: SYMBOL, order_type: 'LIMIT', side: 'BUY', order_quantity: 0.02 },
    order_price: price,
  })
  const { page } = await fixture.open('/favicon.svg')
  await page.route('**/api/prep/relay', async (route) => {
    const { method, path } = Object(parsedJson(route.request().postData() ?? ''))
    if (method !== 'GET' || !path.startsWith(start)) return route.fallback()
    const response = await route.fetch()
    const json = JSON.parse(await response.text(), (name, value) =>
      fields.includes(name) ? undefined : value,
    )
    await route.fulfill({ response, json })
  })
  await page.goto(trader.link.replace('/trade', `/trade/${SYMBOL}`))
  await page.getByText('Free margin').first().waitFor()
  await page.getByText('Reading the account').waitFor({ state: 'detached' })
  return { page, price: String(price), orderId: String(orderId) }
}

const obstacle = (page: Page) => page.locator('#obstacle')

/** What the ticket shows as the largest order. */
const largest = (page: Page) =>
  page.locator('.ticket dt', { hasText: 'Largest order' }).locator('+ dd').textContent()

describe('with a part of the account that cannot be read, the ticket', () => {
  test.each([
    ['/v1/orders?', 'quantity', (id: string) => `open order ${id}`],
    ['/v1/positions', 'mmr', () => `position in ${SYMBOL}`],
  ])('names the row of %s, and takes only orders that reduce', async (path, field, named) => {
    const { page, orderId } = await openWithout(path, field)
    await fillIn(page, 'MARKET', '1', '0.01')
    await obstacle(page)
      .getByText(`Your ${named(orderId)} cannot be read now`)
      .waitFor()
    expect(await ticket.submit(page).isDisabled()).toBe(true)
    expect(await largest(page)).toBe('–')
    await page.locator('.ticket [data-name=SELL]').click()
    await page.getByLabel('Reduce only').check()
    await submittable(page)
    expect(await obstacle(page).textContent()).toBe('')
    await page.getByLabel('Unit of the size').selectOption('percent')
    await obstacle(page).getByText('Give the size in ETH: the size of your position is').waitFor()
  })
})

test('while the taker fee is unknown, only the size of an order that takes is unknown', async () => {
  const { page, price } = await openWithout(
    '/v1/client/info',
    'futures_taker_fee_rate',
    'rwa_taker_fee_rate',
  )
  await fillIn(page, 'MARKET', '1', '0.01')
  await obstacle(page).getByText('Your fee rate is unknown').waitFor()
  expect(await largest(page)).toBe('–')
  await chooseType(page, 'POST_ONLY')
  await ticket.first(page).fill(price)
  await submittable(page)
  await eventually(
    async () => (await largest(page)) ?? '',
    (shown) => /^[\d,.]+ ETH$/.test(shown),
  )
  await page.locator('.ticket [data-name=SELL]').click()
  await chooseType(page, 'MARKET')
  await page.getByLabel('Reduce only').check()
  await submittable(page)
  expect(await largest(page)).toBe('0.0500 ETH')
})
