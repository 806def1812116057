import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
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
  TIMEOUT_MS,
  ticket,
} from './fixture.ts'

setDefaultTimeout(TIMEOUT_MS)

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
  const menu = () => page.locator('.menu summary')
  const numberIn = (text: string | null) =>
    Number((text ?? '').replaceAll(',', '').split(' ').at(-1))

  async function candles(): Promise<readonly Candle[]> {
    const path = '/api/prep/candles?symbol=PERP_ETH_USDC&interval=15m&limit=500'
    return Object(await (await fixture.target.fetch(path)).json()).rows
  }

  test('says the figures of its last candle as the venue has them, thousands apart', async () => {
    const last = (await candles()).at(-1)
    const texts = await legend().locator('span').allTextContents()
    expect(texts[0]).toMatch(/^O \d,\d{3}\.\d\d$/)
    expect(texts.slice(0, 4).map(numberIn)).toEqual(
      [last?.open, last?.high, last?.low, last?.close].map(Number),
    )
  })

  test('says those of the candle below the pointer', async () => {
    const box = await page.locator('.chart .canvas').boundingBox()
    const before = await legend().textContent()
    await page.mouse.move((box?.x ?? 0) + 120, (box?.y ?? 0) + 150)
    const text = await eventually(
      () => legend().textContent(),
      (found) => found !== before,
    )
    const open = numberIn((text ?? '').match(/O [\d,.]+(?=H)/)?.[0] ?? '')
    expect((await candles()).map((row) => Number(row.open))).toContain(open)
    await page.mouse.move(2, 2)
    await eventually(
      () => legend().textContent(),
      (found) => found === before,
    )
  })

  test('draws chosen indicators, whose last values follow from the venue’s candles, and keeps them', async () => {
    await menu().click()
    for (const name of ['MA 20', 'RSI 14', 'MACD 12, 26, 9', 'Bollinger 20, 2', 'EMA 20'])
      await page.getByLabel(name, { exact: true }).check()
    const closes = (await candles()).slice(-20).map(({ close }) => Number(close))
    const mean = closes.reduce((sum, close) => sum + close, 0) / 20
    const shown = legend().locator('[data-indicator=ma]')
    await shown.waitFor()
    expect(numberIn(await shown.textContent())).toBeCloseTo(mean, 1)
    // Candles, RSI and MACD each have a pane.
    await page.locator('.chart .canvas table tr').nth(4).waitFor()
    await page.reload()
    await legend().locator('[data-indicator=macd]').waitFor()
    await menu().click()
    for (const name of ['RSI 14', 'MACD 12, 26, 9', 'Bollinger 20, 2', 'EMA 20', 'MA 20'])
      await page.getByLabel(name, { exact: true }).uncheck()
    await legend().locator('[data-indicator]').first().waitFor({ state: 'detached' })
    await menu().click()
  })

  test('covers the window, and gives it back at Escape', async () => {
    await page.getByRole('button', { name: 'Full screen' }).click()
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
