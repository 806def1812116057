// Slow: a browser trades for as long as a time-weighted order lasts.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { equalSizes, scaled } from '../../src/pages/trade/orders/split.ts'
import type { OpenedPage } from './browser.ts'
import {
  bestPrice,
  eventually,
  gone,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
  ticket,
} from './fixture.ts'
import { type PrivateAnswers, privateAnswers } from './shown-figures.ts'

const OPEN_PATH = '/v1/orders?status=INCOMPLETE&page=1&size=500'

describe('an order that is split', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 15n })
  const step = fc.bigInt({ min: 1n, max: 10n ** 6n })
  const count = fc.integer({ min: 2, max: 100 })

  test('has parts on the step that differ by one step at most, and together are all that is on the step', () => {
    fc.assert(
      fc.property(amount, step, count, (size, each, wanted) => {
        const parts = equalSizes({ baseTick: each }, size, wanted)
        expect(parts).toHaveLength(wanted)
        expect(parts.every((part) => part % each === 0n)).toBe(true)
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(size - (size % each))
        const [first = 0n, last = 0n] = [parts[0], parts.at(-1)]
        expect(first - last === 0n || first - last === each).toBe(true)
      }),
    )
  })

  test('has prices on the tick from the first to the last, evenly apart', () => {
    fc.assert(
      fc.property(amount, amount, step, count, (from, to, tick, wanted) => {
        const ends = { from: from - (from % tick) + tick, to: to - (to % tick) + tick }
        const levels = scaled({ baseTick: 1n, quoteTick: tick }, ends, 10n ** 6n, wanted)
        expect([levels[0]?.price, levels.at(-1)?.price]).toEqual([ends.from, ends.to])
        const gaps = levels
          .slice(1)
          .map(({ price }, at) => (price ?? 0n) - (levels[at]?.price ?? 0n))
        for (const gap of gaps) {
          const even = (ends.to - ends.from) / BigInt(wanted - 1)
          expect(gap - even <= tick && even - gap <= tick).toBe(true)
        }
      }),
    )
  })
})

describe('the order form splits', () => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  let answers: PrivateAnswers
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    opened = await openTrader(fixture)
    ;({ page } = opened)
    answers = privateAnswers(page)
  })
  afterAll(() => fixture.stop())

  const reason = () => page.locator('#obstacle')
  const field = (name: string) => page.locator('.ticket').getByLabel(name, { exact: true })
  const held = () =>
    answers
      .get('/v1/positions')
      ?.['rows'].map((row: { position_qty: number }) => row.position_qty)
      .at(0)

  test('a scaled order into limit orders that one signature places', async () => {
    await page.locator('.types [data-name=SCALED]').click()
    const best = Math.floor(await bestPrice(page, 'bids'))
    const [first, last] = [best - 20, best - 80]
    await field('First price').fill(String(first))
    await field('Size').fill('0.2')
    await reason().getByText('Give a last price.').waitFor()
    await field('Last price').fill(String(last))
    await field('Orders').fill('11')
    await reason().getByText('From 2 to 10').waitFor()
    expect(await ticket.submit(page).isDisabled()).toBe(true)
    await field('Orders').fill('4')
    await page.getByLabel('Reduce only').check()
    await reason().getByText('Scaled orders cannot be reduce-only').waitFor()
    await page.getByLabel('Reduce only').uncheck()
    await field('Size').fill('0.004')
    await reason().getByText('Of one part: The order is worth less').waitFor()
    await field('Size').fill('0.2')
    await ticket.submit(page).click()
    await notice(page, /^The venue took all 4 orders: 4 rest now\./)
    const rows = await eventually(
      async () => answers.get(OPEN_PATH)?.['rows'] ?? [],
      (found) => found.length === 4,
    )
    const placed = rows.map(({ price, quantity }: Record<string, number>) => [price, quantity])
    expect(placed.toSorted(([one = 0]: number[], [other = 0]: number[]) => other - one)).toEqual([
      [first, 0.05],
      [first - 20, 0.05],
      [first - 40, 0.05],
      [last, 0.05],
    ])
  })

  test('nothing while fields are wrong, and names the first of them on the screen', async () => {
    const TEXTS = {
      minutes: '1 to 1,440 minutes',
      parts: 'From 2 to',
      slippage: 'Slippage is above 0%',
    }
    await page.locator('.types [data-name=TWAP]').click()
    for (const name of ['Minutes', 'Parts', 'Slippage at most']) await field(name).fill('0')
    await reason().getByText(TEXTS.minutes).waitFor()
    await field('Minutes').fill('30')
    await reason().getByText(TEXTS.parts).waitFor()
    await field('Minutes').fill('x')
    await field('Parts').fill('y')
    await reason().getByText('Minutes: ').waitFor()
    await field('Minutes').fill('30')
    await reason().getByText('Parts: ').waitFor()
    await field('Parts').fill('10')
    await reason().getByText(TEXTS.slippage).waitFor()
    expect(await ticket.submit(page).isDisabled()).toBe(true)
    await field('Slippage at most').fill('0.5')
    await page.locator('.types [data-name=TRAILING_STOP]').click()
    await field('Stays behind').fill('0')
    await field('Begins at (mark)').fill('x')
    await reason().getByText('The distance is above 0%').waitFor()
    await field('Stays behind').fill('1')
    await reason().getByText('Begins at (mark): ').waitFor()
    await field('Begins at (mark)').fill('')
  })

  test('a time-weighted order into parts that this page sends, until it is stopped', async () => {
    // No part is due before this test says so.
    await page.evaluate('{ const atMs = Date.now(); Date.now = () => atMs + window.aheadMs }')
    await page.getByLabel('Show what is signed first').check()
    await page.locator('.types [data-name=TWAP]').click()
    await field('Minutes').fill('0')
    await field('Parts').fill('3')
    await field('Size').fill('0.09')
    await reason().getByText('1 to 1,440 minutes').waitFor()
    await field('Minutes').fill('1')
    await ticket.submit(page).click()
    await page.locator('dialog h2').getByText('TWAP: Buy 0.09 ETH').waitFor()
    await page.locator('dialog').getByText('3 × 0.03 ETH').waitFor()
    await page.getByText('Sign and send').click()
    const state = page.locator('.ticket .notice')
    await state.getByText('1 of 3 parts sent').waitFor()
    await state.getByText('Keep this tab open').waitFor()
    await eventually(
      async () => held(),
      (size) => size === 0.03,
    )
    // The next part is not asked about again.
    await page.evaluate('window.aheadMs = 31000')
    await state.getByText('2 of 3 parts sent').waitFor()
    expect(await page.locator('dialog').count()).toBe(0)
    await state.getByRole('button', { name: 'Stop' }).click()
    await notice(page, /^TWAP stopped: 2 of 3 parts were sent\./)
    await gone(state)
    await page.evaluate('window.aheadMs = 70000')
    await eventually(
      async () => held(),
      (size) => size === 0.06,
    )
  })

  test('a time-weighted order to its end, which the venue’s position has', async () => {
    await page.getByLabel('Show what is signed first').uncheck()
    await field('Parts').fill('2')
    await field('Size').fill('0.08')
    await ticket.submit(page).click()
    await page.locator('.ticket .notice').getByText('1 of 2 parts sent').waitFor()
    await page.evaluate('window.aheadMs = 140000')
    await notice(page, /^TWAP: all 2 parts were sent\./)
    await eventually(
      async () => held(),
      (size) => size === 0.14,
    )
    expect(opened.complaints).toEqual([])
  })
})
