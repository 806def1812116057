import { expect, test } from 'bun:test'
import type { Minute, Sample } from '../../../src/contract/console/figures.ts'
import { minuteTotals, plottedPoints } from '../../../src/pages/console/points.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const NOW_MS = 1_800_000_000_000

function minute(untilMs: number, requests = 60): Minute {
  return [untilMs, MINUTE_MS, requests, 6, 7, 2, 9]
}

function sample(atMs: number): Sample {
  return [atMs, 10, 5, 3, 1, 8]
}

/** The times of a line, with null where it is broken. */
function shown(points: ReturnType<typeof plottedPoints>) {
  return points.map(([atMs, point]) => point && atMs - NOW_MS)
}

test('a day shows each minute at its rate, and breaks where nothing is known', () => {
  const away = 2 * HOUR_MS
  const stored = [minute(NOW_MS - away), minute(NOW_MS - MINUTE_MS), minute(NOW_MS, 0)]
  const points = plottedPoints('day', stored, [])
  expect(shown(points)).toEqual([
    null,
    ...[-away - MINUTE_MS, -away, null],
    ...[-2 * MINUTE_MS, -MINUTE_MS, 0],
  ])
  expect(points[0]?.[0]).toBe(NOW_MS - 24 * HOUR_MS)
  expect(points[1]?.[1]).toMatchObject({ requestsPerSecond: 1, failedPerSecond: 0.1, p99Ms: 7 })
})

test('an hour shows the minutes before this start, and after it the samples', () => {
  const stored = [minute(NOW_MS - HOUR_MS), minute(NOW_MS - 30 * MINUTE_MS), minute(NOW_MS)]
  const samples = [sample(NOW_MS - 10_000), sample(NOW_MS - 5000), sample(NOW_MS)]
  const points = plottedPoints('hour', stored, samples)
  expect(shown(points)).toEqual([
    ...[-31 * MINUTE_MS, -30 * MINUTE_MS, null],
    ...[-15_000, -10_000, -5000, 0],
  ])
  expect(points.at(-1)?.[1]).toMatchObject({ requestsPerSecond: 2, failedPerSecond: 1 })
})

test('samples that are a little late break no line, and a day ends with what no minute has yet', () => {
  const samples = [NOW_MS + 5000, NOW_MS + 14_000, NOW_MS + 40_000].map(sample)
  expect(shown(plottedPoints('day', [minute(NOW_MS)], samples))).toEqual([
    ...[null, -MINUTE_MS, 0],
    ...[5000, 14_000, null, 35_000, 40_000],
  ])
  expect(plottedPoints('day', [], [])).toEqual([])
})

test('the sum of a day says how much of it is known', () => {
  expect(minuteTotals([minute(NOW_MS), minute(NOW_MS + 1, 2)])).toEqual({
    knownMs: 2 * MINUTE_MS,
    requests: 62,
    failed: 12,
  })
})
