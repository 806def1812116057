// Slow: a browser draws.
import { expect, test } from 'bun:test'
import { compare } from '../../src/lab/eval/compare.ts'
import { reportPage } from '../../src/lab/eval/report.ts'
import { toEvaluationResult } from '../../src/lab/eval/result.ts'
import { openPage, PHONE } from './browser.ts'
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
    await page.setContent(reportPage([toEvaluationResult({ name: 'short', criteria: [] }, [RUN])]))
    await page.locator('.curve canvas').nth(2).waitFor()
    expect(await page.locator('.curve canvas').count()).toBe(3)
    expect(complaints).toEqual([])
  } finally {
    await context.close()
    await stop()
  }
})

test('the report of two agents says which colour is whose, and fits a dark phone', async () => {
  const { browser, stop } = await openPageFixture()
  const { page, complaints, context } = await openPage(browser, { ...PHONE, scheme: 'dark' })
  try {
    const runs = [1, 2, 3].map((seed) => ({ ...RUN, seed, outcome: 'time_over' }))
    const [one, two] = ['one', 'two'].map((agent) =>
      toEvaluationResult(
        { name: 'short', criteria: [] },
        runs.map((run) => ({
          ...run,
          agent,
          intervals: { sharpe: { value: 1, low: -2, high: 4 } },
        })),
      ),
    )
    if (!one || !two) throw new Error('no results')
    await page.setContent(reportPage([one, two], compare(one, two)))
    await page.locator('.curve canvas').nth(2).waitFor()
    expect(await page.locator('.agents p').allTextContents()).toEqual(['one', 'two'])
    expect(await page.locator('.curve .u-legend').count()).toBe(0)
    expect(await page.getByText('-2 to 4').count()).toBe(6)
    expect(await page.getByText('time over').count()).toBe(6)
    const back = 'getComputedStyle(document.body).backgroundColor'
    expect(await page.evaluate(back)).toBe('rgb(13, 17, 23)')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    expect(complaints).toEqual([])
  } finally {
    await context.close()
    await stop()
  }
})
