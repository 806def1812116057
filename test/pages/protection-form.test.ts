// Slow: a browser trades, and its clock is set ahead.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page, Request } from 'playwright-core'
import { type ConditionalFixture, openConditionalFixture } from './conditional-fixture.ts'
import { agree, eventually, fillIn, notice, submittable, ticket } from './fixture.ts'

/** Whether a request carries a conditional order that was signed. */
function isSigned(request: Request): boolean {
  return request.postData()?.includes('"path":"/v1/algo/order"') ?? false
}

/**
 * How many rows of the lowest twenty at the right edge of the candles, or of their price axis, are in a colour for a quarter
 * at least.
 */
function rowsOfEdge(color: string, of: 'pane' | 'axis' = 'pane', rows = 20): Promise<number> {
  return page.evaluate<number>(`(() => {
    const canvas = document.querySelectorAll('.chart .canvas table tr td:nth-child(${of === 'pane' ? 2 : 3}) canvas')[1]
    const ink = Object.assign(document.createElement('canvas').getContext('2d'), { fillStyle: getComputedStyle(document.documentElement).getPropertyValue('--${color}') })
    ink.fillRect(0, 0, 1, 1)
    const wanted = ink.getImageData(0, 0, 1, 1).data.slice(0, 3).join()
    const [across, down] = [Math.min(canvas.width, 60), Math.min(canvas.height, ${rows})]
    const { data, width, height } = canvas.getContext('2d').getImageData(canvas.width - across, canvas.height - down, across, down)
    const isOf = (y) => Array.from({ length: width }, (_, x) => data.slice(4 * (y * width + x), 4 * (y * width + x) + 3).join()).filter((each) => each === wanted).length > width / 4
    return Array.from({ length: height }, (_, y) => y).filter(isOf).length
  })()`)
}

let page: Page

describe('the form of the TP/SL of a position', () => {
  let it: ConditionalFixture
  let mark: number
  let dialog: Locator
  beforeAll(async () => {
    it = await openConditionalFixture()
    ;({ page, mark } = it)
    dialog = page.locator('dialog')
    await fillIn(page, 'MARKET', '0.5', '0.05')
    await submittable(page)
    await ticket.submit(page).click()
    await notice(page, /^Filled: Buy 0\.0500 ETH/)
  })
  afterAll(() => it.fixture.stop())

  test('is signed by its own button, and shows to the byte what is signed', async () => {
    await page.locator('.chart .canvas td canvas').first().waitFor()
    expect(await rowsOfEdge('down')).toBe(0)
    await page.getByLabel('Show what is signed first').check()
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    await dialog.getByText('Sell at the market once the mark is there: the whole').waitFor()
    await dialog.getByText('Long 0.0500 ETH').waitFor()
    // Nothing is filled in: there is nothing to be signed.
    expect(await dialog.locator('.bytes').count()).toBe(0)
    expect(await dialog.getByRole('button', { name: 'Sign and set' }).isDisabled()).toBe(true)
    await dialog.getByLabel('SL % below entry').fill('3')
    const before = await dialog.locator('.bytes').textContent()
    await dialog.getByLabel('Stop loss at').fill(String(mark - 310))
    const text = await dialog.locator('.bytes').textContent()
    expect(text).toContain(`"trigger_price":${mark - 310}`)
    expect(text).not.toBe(before)
    // A text that is too old to be signed gets the time of now, in sight.
    await page.evaluate('window.aheadMs = 121_000')
    const renewed = await eventually(
      () => dialog.locator('.bytes').textContent(),
      (found) => found !== text,
    )
    const sent = page.waitForRequest((request) => request.method() === 'POST' && isSigned(request))
    await dialog.getByRole('button', { name: 'Sign and set SL' }).click()
    await notice(page, /^Protects the whole position: SL/)
    const { method, path, body, auth } = (await sent).postDataJSON()
    expect(`${auth.timestamp}${method}${path}${body}`).toBe(renewed ?? '')
    expect(await dialog.count()).toBe(0)
    await page.evaluate('window.aheadMs = 0')
    await page.getByLabel('Show what is signed first').uncheck()
  })
  test('gives a stop that lies beyond the chart a label at its edge', async () => {
    // The stop of 310 below is far under the candles.
    await eventually(
      () => rowsOfEdge('down'),
      (rows) => rows > 8,
    )
    expect(await rowsOfEdge('up')).toBe(0)
  })

  test('names no line of its own on the price axis, whose numbers it would cover', async () => {
    await eventually(
      () => rowsOfEdge('accent', 'pane', Number.MAX_SAFE_INTEGER),
      (rows) => rows > 8,
    )
    for (const color of ['accent', 'warn'])
      expect(await rowsOfEdge(color, 'axis', Number.MAX_SAFE_INTEGER)).toBe(0)
  })

  test('takes the sign of a loss for a stop and of a gain for a take profit, and no other', async () => {
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    // What waits has a stop alone.
    await dialog.getByRole('button', { name: 'Part' }).click()
    const [stop, take] = [
      dialog.getByLabel('SL % below entry'),
      dialog.getByLabel('TP % above entry'),
    ]
    await stop.fill('2')
    const price = await dialog.getByLabel('Stop loss at').inputValue()
    for (const minus of ['-', '−', '–']) {
      await stop.fill('')
      await stop.pressSequentially(`${minus}2`)
      expect(await stop.inputValue()).toBe('2')
      expect(await dialog.getByLabel('Stop loss at').inputValue()).toBe(price)
    }
    await stop.fill('+2')
    await dialog.getByText('“+2” is not a number without a sign').waitFor()
    expect(await dialog.getByLabel('Stop loss at').inputValue()).toBe('')
    await stop.fill('')
    await take.fill('-2')
    await dialog.getByText('“-2” is not a number without a sign').waitFor()
    await take.fill('+2')
    expect(await take.inputValue()).toBe('2')
    expect(Number(await dialog.getByLabel('Take profit at').inputValue())).toBeGreaterThan(mark)
    await page.keyboard.press('Escape')
  })

  test('measures the stop of a short upwards, and still takes it for a loss', async () => {
    await page.getByRole('button', { name: 'Reverse ETH' }).click()
    await agree(page)
    await notice(page, /^Filled: Sell 0\.1000 ETH/)
    await page.getByRole('button', { name: 'Take profit and stop loss of ETH' }).click()
    await dialog.getByText('Short 0.0500 ETH').waitFor()
    await dialog.getByText('Buy at the market once the mark is there').waitFor()
    const stop = dialog.getByLabel('SL % above entry')
    await stop.fill('-2')
    expect(await stop.inputValue()).toBe('2')
    expect(Number(await dialog.getByLabel('Stop loss at').inputValue())).toBeGreaterThan(mark)
    await stop.fill('+2')
    expect(await dialog.getByLabel('Stop loss at').inputValue()).toBe('')
    await page.keyboard.press('Escape')
  })
})
