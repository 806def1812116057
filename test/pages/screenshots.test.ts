import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { openPage } from './browser.ts'
import {
  fillIn,
  list,
  openPageFixture,
  openTrader,
  type PageFixture,
  placeResting,
  ticket,
} from './fixture.ts'

const FOLDER = new URL('../../config/reference/', import.meta.url)

/**
 * The pictures of the README: `SCREENSHOTS=write bun test test/pages/screenshots.test.ts` takes them again. Every run
 * takes them and compares their size, since no two renderings are equal byte for byte.
 */
describe('the pictures of the README', () => {
  let fixture: PageFixture
  beforeAll(async () => {
    fixture = await openPageFixture()
  })
  afterAll(() => fixture.stop())

  // Slow: a picture is taken of a page with all of its figures.
  test('show the trading page with a position and a resting order', async () => {
    const { page, complaints } = await openTrader(fixture)
    await fillIn(page, 'MARKET', '0.5', '1')
    await ticket.submit(page).click()
    await page.locator('.lists tr[data-symbol=PERP_ETH_USDC]').waitFor()
    await placeResting(page, '0.5')
    await list(page, 'orders').locator('.count').waitFor()
    await compare(page, 'trade.png')
    expect(complaints).toEqual([])
  })

  test('show the console', async () => {
    const { page, complaints } = await openPage(fixture.browser)
    await page.goto(fixture.opsOrigin)
    await page.locator('canvas').first().waitFor()
    await compare(page, 'console.png')
    expect(complaints).toEqual([])
  })
})

async function compare(page: Page, name: string): Promise<void> {
  const taken = await page.screenshot({ animations: 'disabled' })
  if (process.env['SCREENSHOTS'] === 'write') writeFileSync(new URL(name, FOLDER), taken)
  const kept = readFileSync(new URL(name, FOLDER))
  expect(sizeOf(kept)).toEqual(sizeOf(taken))
}

/** Width and height of a PNG, from its first chunk. */
function sizeOf(png: Buffer): readonly [number, number] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}
