// Slow: servers start one after the other, and a browser reads.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite.ts'
import { eventually, openPageFixture, type PageFixture } from './fixture.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const folder = mkdtempSync(join(tmpdir(), 'prepd-traffic-'))

let fixture: PageFixture
beforeAll(async () => {
  const nowMs = Date.now()
  const store = openSqlite(join(folder, 'prepd.sqlite'), nowMs)
  const hours = [25, 3, 2].map((hours) => nowMs - hours * HOUR_MS)
  const seen = { name: 'x', version: '1', sinceMs: 0, seenMs: nowMs - 24 * HOUR_MS, isReady: true }
  await store.traffic.add(
    seen,
    hours.map((untilMs) => [untilMs, MINUTE_MS, 1000, 7, 4, 1, 9e7] as const),
  )
  store.close()
  fixture = await openPageFixture({ DATA_DIR: folder })
})
afterAll(async () => {
  await fixture.stop()
  rmSync(folder, { recursive: true })
})

test('the operator’s console shows the last day of an earlier start, and says how much of it is known', async () => {
  const { page, context, complaints } = await fixture.open('/favicon.svg')
  await page.goto(`${fixture.opsOrigin}/`)
  const charts = page.getByRole('region', { name: 'Requests over time' })
  const known = 'In the last 24 hours: 2,000 requests, 14 refused or failed, recorded over 2 min.'
  await charts.getByText(known).waitFor()
  const day = charts.getByRole('button', { name: 'Last 24 hours' })
  expect(await day.getAttribute('aria-pressed')).toBe('false')
  /** The coloured part of the first plot, which is empty but for two minutes in a day. */
  const drawn = () => charts.locator('canvas').first().screenshot()
  const hour = await drawn()
  await day.click()
  expect(await day.getAttribute('aria-pressed')).toBe('true')
  await eventually(
    async () => (await drawn()).equals(hour),
    (isSame) => !isSame,
  )
  expect(complaints).toEqual([])
  await context.close()
})
