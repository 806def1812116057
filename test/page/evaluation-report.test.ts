// Slow: a browser draws.
import { expect, test } from 'bun:test'
import { reportPage } from '../../src/admin/eval/report.ts'
import { resultOf } from '../../src/admin/eval/result.ts'
import { openPage } from './browser.ts'
import { openPageFixture } from './fixture.ts'

const CURVE = {
  atMs: [0, 60_000, 120_000],
  value: [100, 90, 95],
  gross: [0, 50, 60],
  net: [0, 50, 60],
}
const RUN = {
  evaluation: 'short',
  agent: 'one',
  seed: 1,
  hash: '',
  figures: {},
  intervals: {},
  curve: CURVE,
}

test('the report of an evaluation draws its curves, also in a browser without a known language', async () => {
  const { browser, stop } = await openPageFixture()
  const { page, complaints, context } = await openPage(browser)
  try {
    const withoutLanguage =
      "Object.defineProperty(navigator, 'language', { configurable: true, value: 'en-US@posix' })"
    await page.evaluate(withoutLanguage)
    await page.setContent(reportPage([resultOf({ name: 'short', criteria: [] }, [RUN])]))
    await page.locator('.curve canvas').nth(2).waitFor()
    expect(await page.locator('.curve canvas').count()).toBe(3)
    expect(complaints).toEqual([])
  } finally {
    await context.close()
    await stop()
  }
})
