// Slow: a browser draws indicators of many candles.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
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

type Candle = Readonly<Record<'open' | 'high' | 'low' | 'close' | 'volume', string>>

describe('the chart of the trading page', () => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    opened = await openTrader(fixture)
    ;({ page } = opened)
  })
  afterAll(() => fixture.stop())

  const legend = () => page.locator('.legend')
  const menu = () => page.getByRole('button', { name: 'Indicators' })
  /** Where a good part of the pane of the RSI, or of its axis, has a colour, as shares of its height. */
  const rowsOf = (cell: 'pane' | 'axis', color: string) =>
    page.evaluate<number[]>(`(() => {
      const canvas = document.querySelectorAll('.chart .canvas table tr')[2].querySelector('td:nth-child(${cell === 'pane' ? 2 : 3}) canvas')
      const ink = Object.assign(document.createElement('canvas').getContext('2d'), { fillStyle: getComputedStyle(document.documentElement).getPropertyValue('--${color}') })
      ink.fillRect(0, 0, 1, 1)
      const wanted = ink.getImageData(0, 0, 1, 1).data.slice(0, 3).join()
      const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      const isLine = (y) => Array.from({ length: width }, (_, x) => data.slice(4 * (y * width + x), 4 * (y * width + x) + 3).join()).filter((each) => each === wanted).length > width / 4
      return Array.from({ length: height }, (_, y) => y).filter(isLine).map((y) => y / height)
    })()`)
  /** How far the crosshair of the depth is from the curve of a colour where both meet the pointer; null without one. */
  const crossing = (color: string) =>
    page.evaluate<number | null>(`(() => {
      const [drawn, over] = document.querySelectorAll('.chart .canvas tr:first-child td:nth-child(2) canvas')
      const ink = Object.assign(document.createElement('canvas').getContext('2d'), { fillStyle: getComputedStyle(document.documentElement).getPropertyValue('--${color}') })
      ink.fillRect(0, 0, 1, 1)
      const wanted = ink.getImageData(0, 0, 1, 1).data
      const { width, height } = over
      const lines = over.getContext('2d').getImageData(0, 0, width, height).data
      const sums = (count, of) => Array.from({ length: count }, (_, at) => of(at))
      const isInk = (x, y) => lines[4 * (y * width + x) + 3] > 0
      const rows = sums(height, (y) => sums(width, (x) => isInk(x, y)).filter(Boolean).length)
      const columns = sums(width, (x) => sums(height, (y) => isInk(x, y)).filter(Boolean).length)
      const most = (counts, enough) => Math.max(...counts) < enough ? null : counts.indexOf(Math.max(...counts))
      const [line, x] = [most(rows, width / 4), most(columns, height / 4)]
      if (line === null || x === null) return null
      const { data } = drawn.getContext('2d').getImageData(x, 0, 1, height)
      const isCurve = (y) => [0, 1, 2].every((at) => Math.abs(data[4 * y + at] - wanted[at]) < 40)
      const far = sums(height, (y) => isCurve(y) ? Math.abs(y - line) : height)
      return Math.min(...far)
    })()`)
  const numberIn = (text: string | null) =>
    Number((text ?? '').replaceAll(',', '').split(' ').at(-1))

  async function candles(): Promise<readonly Candle[]> {
    const path = '/api/prep/candles?symbol=PERP_ETH_USDC&interval=15m&limit=500'
    return Object(await (await fixture.target.fetch(path)).json()).rows
  }

  /** Whether the legend has the figures of a candle that the venue has now and that is wanted. */
  async function isLegendOf(wanted: (index: number, last: number) => boolean): Promise<boolean> {
    const texts = await legend().locator('span').allTextContents()
    const shown = texts.slice(0, 4).map(numberIn).join()
    const rows = await candles()
    return rows.some(
      ({ open, high, low, close }, index) =>
        wanted(index, rows.length - 1) && [open, high, low, close].map(Number).join() === shown,
    )
  }

  test('draws the crosshair of the depth on the curve, wherever the pointer is above it', async () => {
    await page.locator('.chart').getByRole('button', { name: 'Depth' }).click()
    const pane = page.locator('.chart .canvas tr:first-child td:nth-child(2)')
    const box = await pane.boundingBox()
    if (!box) throw new Error('the depth is not drawn')
    for (const [across, color] of [
      [0.2, 'up'],
      [0.8, 'down'],
    ] as const) {
      await page.mouse.move(box.x + across * box.width, box.y + 0.15 * box.height)
      await eventually(
        () => crossing(color),
        (far) => far !== null && far <= 3,
      )
    }
    await page.mouse.move(0, 0)
    await page.locator('.chart').getByRole('button', { name: '15m' }).click()
  })

  test('says the figures of its last candle as the venue has them, thousands apart', async () => {
    await eventually(() => isLegendOf((index, last) => index === last), Boolean)
    const [open] = await legend().locator('span').allTextContents()
    expect(open).toMatch(/^O \d,\d{3}\.\d\d$/)
  })

  test('says those of the candle below the pointer', async () => {
    const box = await page.locator('.chart .canvas').boundingBox()
    await page.mouse.move((box?.x ?? 0) + 120, (box?.y ?? 0) + 150)
    await eventually(() => isLegendOf((index, last) => index < last), Boolean)
    await page.mouse.move(2, 2)
    await eventually(() => isLegendOf((index, last) => index === last), Boolean)
  })

  test('draws chosen indicators, whose last values follow from the venue’s candles, and keeps them', async () => {
    await menu().click()
    for (const name of ['MA 20', 'RSI 14', 'MACD 12, 26, 9', 'Bollinger 20, 2', 'EMA 20'])
      await page.getByLabel(name, { exact: true }).check()
    const shown = legend().locator('[data-indicator=ma]')
    await eventually(
      async () => {
        const closes = (await candles()).slice(-20).map(({ close }) => Number(close))
        const mean = closes.reduce((sum, close) => sum + close, 0) / 20
        return Math.abs(numberIn(await shown.textContent()) - mean)
      },
      (apart) => apart < 0.05,
    )
    // Candles, RSI and MACD each have a pane.
    await page.locator('.chart .canvas table tr').nth(4).waitFor()
    // Over the index lie lines at 30 and at 70, and there is room above and below.
    const [high = 0, low = 0] = await eventually(
      () => rowsOf('pane', 'quiet'),
      ([high = 0, low = 0, other]) =>
        other === undefined && high > 0.2 && low < 0.7 && low - high > 0.25,
    )
    // Each line has a label on the axis, which is the ground of some rows there.
    const labelled = await rowsOf('axis', 'line')
    for (const line of [high, low])
      expect(labelled.filter((row) => Math.abs(row - line) < 0.1).length).toBeGreaterThan(5)
    await page.reload()
    await legend().locator('[data-indicator=macd]').waitFor()
    await menu().click()
    for (const name of ['RSI 14', 'MACD 12, 26, 9', 'Bollinger 20, 2', 'EMA 20', 'MA 20'])
      await page.getByLabel(name, { exact: true }).uncheck()
    await legend().locator('[data-indicator]').first().waitFor({ state: 'detached' })
    await menu().click()
  })

  test.each([
    ['Indicators', '#indicators'],
    ['Menu', '#pages'],
  ])('the menu %s closes at Escape and at a press outside', async (name, list) => {
    const [button, shown] = [page.getByRole('button', { name }), page.locator(list)]
    expect(await shown.isVisible()).toBe(false)
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.locator('header h1').click(),
      () => button.click(),
    ]) {
      await button.click()
      await shown.waitFor()
      await leave()
      await shown.waitFor({ state: 'hidden' })
    }
  })

  test('covers the window, and gives it back at Escape, which closes an open menu first', async () => {
    await page.getByRole('button', { name: 'Full screen' }).click()
    await menu().click()
    const list = page.locator('#indicators')
    await list.waitFor()
    const [below, above] = [await menu().boundingBox(), await list.boundingBox()]
    expect(above?.y).toBeCloseTo((below?.y ?? 0) + (below?.height ?? 0), 0)
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'hidden' })
    expect(await page.locator('.chart').boundingBox()).toEqual({
      x: 0,
      y: 0,
      width: 1440,
      height: 900,
    })
    await page.keyboard.press('Escape')
    const box = await page.locator('.chart').boundingBox()
    expect(box?.width).toBeLessThan(1000)
  })

  test('draws own trades where they were made', async () => {
    const figure = page.locator('.chart figure')
    await fillIn(page, 'MARKET', '0.5', '0.05')
    await ticket.submit(page).click()
    await notice(page, /^Filled/)
    await eventually(
      () => figure.getAttribute('data-fills'),
      (count) => Number(count) > 0,
    )
    expect(opened.complaints).toEqual([])
  })
})
