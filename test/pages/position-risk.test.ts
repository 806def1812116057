// Slow: a browser opens a position and protects it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { readExact } from '../../src/pages/common/exact-json.ts'
import { conditionalOrders } from '../../src/pages/trade/account/conditional.ts'
import { stoppedSize } from '../../src/pages/trade/account/stopped-size.ts'
import { amountText, toAmount } from '../../src/perp/amounts.ts'
import type { OpenedPage } from './browser.ts'
import {
  eventually,
  fillIn,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
  ticket,
} from './fixture.ts'

describe('the size of a position that has a stop', () => {
  const amount = (text: string) => toAmount(text) ?? 0n
  const long = {
    symbol: 'PERP_ETH_USDC',
    isIsolated: false,
    size: amount('2'),
    mark: amount('2000'),
  }
  const order = (algo_type: string, rest: object) => ({
    ...{ algo_type, symbol: 'PERP_ETH_USDC', side: 'SELL', margin_mode: 'CROSS', quantity: 0.5 },
    ...rest,
  })
  const leg = (algo_type: string) => ({ algo_type, side: 'SELL', trigger_price: 1900 })
  const stopped = (...orders: readonly object[]) => {
    const rows = conditionalOrders(readExact(JSON.stringify({ rows: orders })))
    return amountText(stoppedSize(rows, long))
  }

  test('is all of it with a stop loss of the position, and nothing with a take profit alone', () => {
    const whole = (name: string) => order('POSITIONAL_TP_SL', { child_orders: [leg(name)] })
    expect(stopped(whole('STOP_LOSS'))).toBe('2')
    expect(stopped(whole('TAKE_PROFIT'))).toBe('0')
  })

  test('is the sum of its parts and of stops that only reduce', () => {
    const part = order('TP_SL', { child_orders: [leg('STOP_LOSS')] })
    const stop = order('STOP', { trigger_price: 1950, reduce_only: true })
    expect(stopped(part, stop)).toBe('1')
  })

  test.each([
    ['may open a position', { reduce_only: false, trigger_price: 1950 }],
    ['takes a profit', { reduce_only: true, trigger_price: 2100 }],
    ['closes the other side', { reduce_only: true, trigger_price: 1950, side: 'BUY' }],
    ['is of another market', { reduce_only: true, trigger_price: 1950, symbol: 'PERP_BTC_USDC' }],
    [
      'is of the other margin mode',
      { reduce_only: true, trigger_price: 1950, margin_mode: 'ISOLATED' },
    ],
  ])('leaves out a stop that %s', (_, rest) => {
    expect(stopped(order('STOP', rest))).toBe('0')
  })
})

describe('a position', () => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    opened = await openTrader(fixture)
    ;({ page } = opened)
    page.setDefaultTimeout(30_000)
    await fillIn(page, 'MARKET', '3', '30')
    await ticket.submit(page).click()
    await notice(page, /^Filled/)
  })
  afterAll(() => fixture.stop())

  const cell = (name: string) =>
    page.locator(`.lists tr[data-symbol=PERP_ETH_USDC] [data-name="${name}"]`)
  const dialog = () => page.locator('dialog')

  test('has its distance from liquidation in percent and in daily moves', async () => {
    const text = await eventually(
      async () => (await cell('Liquidation').textContent()) ?? '',
      (shown) => shown.includes('daily moves'),
    )
    const [, liquidation = '', distance = '', moves = ''] =
      /^([\d,.]+)−([\d.]+)%([\d.]+) daily moves$/.exec(text) ?? []
    const mark = Number((await page.locator('.stats .big').textContent())?.replace(',', ''))
    const expected = 1 - Number(liquidation.replace(',', '')) / mark
    expect(Number(distance)).toBeCloseTo(100 * expected, 0)
    const answer = await page.evaluate<{ rows: Record<'open' | 'high' | 'low', number>[] }>(
      "fetch('/api/prep/candles?symbol=PERP_ETH_USDC&interval=1d&limit=15').then((it) => it.json())",
    )
    const days = answer.rows.slice(0, -1).map(({ open, high, low }) => (high - low) / open)
    const mean = days.reduce((sum, day) => sum + day, 0) / days.length
    expect(Number(moves)).toBeCloseTo(expected / mean, 0)
  })

  test('without a stop says so, and a click opens the form for one', async () => {
    await cell('TP / SL').getByRole('button', { name: 'No stop' }).click()
    await dialog().getByText('Stop loss at a mark price of').waitFor()
  })

  test('refuses a stop beyond its liquidation price with the reason', async () => {
    const [, liquidation = ''] =
      /^([\d,.]+)−/.exec((await cell('Liquidation').textContent()) ?? '') ?? []
    const input = dialog().getByLabel('Stop loss at a mark price of')
    const at = Math.floor(Number(liquidation.replaceAll(',', '')))
    await input.fill(String(at - 1))
    await dialog().getByText(`Liquidation at ${liquidation} comes before this stop.`).waitFor()
    const submit = dialog().getByRole('button', { name: /^Sign and set/ })
    expect(await submit.isDisabled()).toBe(true)
    await input.fill(String(at + 20))
    await dialog()
      .getByLabel('Take profit at a mark price of')
      .fill(String(at * 2))
    await submit.and(page.locator(':enabled')).click()
    await notice(page, /^Protects the whole position/)
  })

  test('changes its take profit although liquidation has passed its stop, and no stop beyond', async () => {
    await fillIn(page, 'MARKET', '3', '4')
    await ticket.submit(page).click()
    await notice(page, /^Filled/)
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    await dialog().getByText('comes before this stop.').waitFor()
    const take = dialog().getByLabel('Take profit at a mark price of')
    await take.fill(String(Number((await take.inputValue()).replaceAll(',', '')) + 1))
    const submit = dialog().getByRole('button', { name: /^Sign and change/ })
    const stop = dialog().getByLabel('Stop loss at a mark price of')
    const kept = await stop.inputValue()
    await stop.fill(String(Number(kept.replaceAll(',', '')) - 1))
    expect(await submit.isDisabled()).toBe(true)
    await stop.fill(kept)
    await submit.and(page.locator(':enabled')).click()
    await notice(page, /^Changed/)
  })

  test('with a stop has no warning', async () => {
    await cell('TP / SL').getByText('SL').waitFor()
    expect(await cell('TP / SL').getByRole('button', { name: 'No stop' }).count()).toBe(0)
    expect(opened.complaints).toEqual([])
  })
})
