// Slow: a browser trades and reads.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { OpenedPage } from './browser.ts'
import { eventually, list, notice, type PageFixture } from './fixture.ts'
import { openListsFixture } from './lists-fixture.ts'
import { type PrivateAnswers, privateAnswers } from './shown-figures.ts'

const OPEN_PATH = '/v1/orders?status=INCOMPLETE&page=1&size=500'

let fixture: PageFixture
let opened: OpenedPage
let page: Page
let answers: PrivateAnswers
let price: string
beforeAll(async () => {
  ;({ fixture, opened, page, price } = await openListsFixture())
  answers = privateAnswers(page)
})
afterAll(() => fixture.stop())

test('book and trades share a place where the lists need theirs', async () => {
  await page.locator('.book').getByRole('button', { name: 'Trades' }).click()
  await page.locator('.tape .columns').nth(1).waitFor()
  expect(await page.locator('.book').isVisible()).toBe(false)
  await page.locator('.tape').getByRole('button', { name: 'Order book' }).click()
  await page.locator('.bids .level').first().waitFor()
})

test('an own order is marked in the book with what is left of it, and no other level is', async () => {
  const own = page.locator('.level.own')
  await own.waitFor()
  expect(await own.count()).toBe(1)
  expect(await own.getAttribute('data-price')).toBe(price)
  expect(await own.getAttribute('title')).toStartWith('Your own orders here: 0.0500')
})

test('a position is closed at a limit, by an order that only reduces', async () => {
  await list(page, 'positions').click()
  await page.getByRole('button', { name: 'Close… ETH' }).click()
  const dialog = page.locator('dialog')
  await dialog.getByRole('button', { name: 'Limit' }).click()
  const [at, size] = [dialog.locator('.entry input').nth(0), dialog.locator('.entry input').nth(1)]
  await at.fill(String(Number(price) * 3))
  await dialog.getByText('The price is too far from the mark price.').waitFor()
  const close = dialog.getByRole('button', { name: 'Close position' })
  expect(await close.isDisabled()).toBe(true)
  const wanted = Math.ceil(Number(price) * 1.01)
  await at.fill(String(wanted))
  await size.fill('0.04')
  await close.click()
  await notice(page, /^Rests at [\d.,]+: Sell 0\.0400 ETH\./)
  const [row] = await eventually(
    async () =>
      (answers.get(OPEN_PATH)?.['rows'] ?? []).filter(
        ({ side }: { side: string }) => side === 'SELL',
      ),
    (rows) => rows.length === 1,
  )
  expect(row).toMatchObject({ type: 'LIMIT', price: wanted, quantity: 0.04, reduce_only: true })
})

describe('a line on the chart', () => {
  const chart = () => page.locator('.chart .canvas > div').first()
  const writes = () =>
    opened.requests.filter((text) => text.includes('/relay ') && !text.includes('"method":"GET"'))
      .length

  /** The heights at which a pointer on the chart can take a line. */
  function grips(): Promise<readonly number[]> {
    return page.evaluate<number[]>(`(() => {
      const chart = document.querySelector('.chart .canvas > div')
      const { top, bottom } = chart.getBoundingClientRect()
      const found = []
      for (let y = Math.ceil(top); y < bottom - 40; y += 2) {
        chart.dispatchEvent(new PointerEvent('pointermove', { clientY: y, pointerType: 'mouse' }))
        if (chart.classList.contains('grabs') && !(found.at(-1) > y - 12)) found.push(y)
      }
      return found
    })()`)
  }

  test('that is no order’s cannot be taken, and Escape puts one back that was', async () => {
    const box = await chart().boundingBox()
    const found = await grips()
    // The two resting orders; entry, mark and liquidation stay where they are.
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThanOrEqual(2)
    const before = writes()
    const y = found.at(-1) ?? 0
    await page.mouse.move((box?.x ?? 0) + 200, y + 2)
    await page.mouse.down()
    await page.mouse.move((box?.x ?? 0) + 200, y + 32)
    await page.keyboard.press('Escape')
    await page.mouse.up()
    expect(await page.locator('dialog').count()).toBe(0)
    expect([await grips(), writes()]).toEqual([found, before])
  })

  const input = () => page.locator('dialog .entry input').first()
  const change = () => page.locator('dialog').getByRole('button', { name: 'Change' })

  /** Drags the lowest line so far down, which opens the dialog of its order. */
  async function drag(by: number): Promise<void> {
    const box = await chart().boundingBox()
    const y = (await grips()).at(-1) ?? 0
    await page.mouse.move((box?.x ?? 0) + 200, y + 2)
    await page.mouse.down()
    await page.mouse.move((box?.x ?? 0) + 200, y + 2 + by, { steps: 4 })
    await page.mouse.up()
    await input().waitFor()
  }

  test('is dragged to a new price, which is sent only once it has been read', async () => {
    const before = writes()
    await drag(20)
    const dropped = Number((await input().inputValue()).replaceAll(',', ''))
    expect(dropped).toBeLessThan(Number(price))
    expect(dropped).toBeGreaterThan(Number(price) * 0.97)
    expect(writes()).toBe(before)
    await change().click()
    await notice(page, /^Changed\. Rests at/)
    await eventually(
      async () => answers.get(OPEN_PATH)?.['rows'] ?? [],
      (rows) => rows.some((row: { price: number }) => row.price === dropped),
    )
    // Its line lies there once the page has read it.
    await list(page, 'orders').click()
    await page.locator(`tr[data-order] td[data-price="${dropped}"]`).waitFor()
  })

  test('is not changed while another change is on its way, and that is said', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/prep/relay', async (route) => {
      if (!route.request().postData()?.includes('"method":"GET"')) await held
      await route.continue()
    })
    const before = writes()
    await drag(6)
    await change().click()
    await drag(12)
    await change().click()
    await notice(page, /^Not sent\.Another one is still on its way/)
    expect(writes()).toBe(before + 1)
    release()
    await notice(page, /^Changed\. Rests at/)
    await page.unrouteAll({ behavior: 'wait' })
    expect(opened.complaints).toEqual([])
  })
})
