import { expect, test } from 'bun:test'
import { createMeter } from '../../../src/core/observing/meter.ts'
import { createVerdict } from '../../../src/routes/console/verdict.ts'
import type { Sample } from '../../../src/spec/console/figures.ts'

const NOW_MS = 1_800_000_000_000
const WELL = { nowMs: NOW_MS, missing: null, samples: [], faults: [] } as const
const sample = (agoMs: number, p99Ms: number, loopDelayMs = 0): Sample => [
  ...([NOW_MS - agoMs, 10, 0, p99Ms, loopDelayMs, 1] as const),
]

test('all is well where no condition holds', () => {
  const verdict = createVerdict(
    createMeter(() => 0),
    'live',
  )
  expect(verdict(WELL)).toEqual([])
})

test('what has to be mended now comes first, with what to do and where to look', () => {
  const meter = createMeter(() => 0)
  meter.reading('prepd_data_free_bytes', () => 2 ** 29)
  const verdict = createVerdict(meter, 'live')
  const reasons = verdict({ ...WELL, missing: 'venue: upstream_unavailable' })
  expect(reasons.map(({ level, at }) => [level, at])).toEqual([
    ['page', 'venue'],
    ['warn', 'state'],
  ])
  expect(reasons[0]).toMatchObject({ title: 'The venue does not answer.' })
  expect(reasons.every(({ action }) => action.length > 0)).toBe(true)
})

test('books that are not known make a market on paper stand still; where there is none, nothing is said', () => {
  const meter = createMeter(() => 0)
  let away: number | null = null
  meter.reading('prepd_venue_books_away', () => away)
  const verdict = createVerdict(meter, 'paper')
  expect(verdict(WELL)).toEqual([])
  away = 1
  expect(verdict(WELL)).toMatchObject([
    { level: 'warn', at: 'venue', title: expect.stringContaining('not every live order book') },
  ])
  away = 0
  expect(verdict(WELL)).toEqual([])
})

test('records without a backup count for a live venue alone', () => {
  const meter = createMeter(() => 0)
  meter.reading('prepd_backup_time_seconds', () => 0)
  expect(createVerdict(meter, 'live')(WELL)).toHaveLength(1)
  expect(createVerdict(meter, 'embedded')(WELL)).toEqual([])
})

test('failures of this side are counted by code', () => {
  const verdict = createVerdict(
    createMeter(() => 0),
    'live',
  )
  const faults = [
    { name: 'internal', count: 2 },
    { name: 'upstream_timeout', count: 1 },
  ]
  const [reason] = verdict({ ...WELL, faults })
  expect(reason?.title).toBe(
    '3 requests failed on this side in five minutes: internal 2, upstream_timeout 1.',
  )
  expect(reason?.at).toBe('failures')
})

test.each([
  ['three periods of the last minute', [0, 5000, 60_000], 1],
  ['two of them', [0, 5000], 0],
  ['older ones', [60_001, 65_000, 70_000], 0],
])('requests and this process are slow after %s over the limit', (_, agos, count) => {
  const verdict = createVerdict(
    createMeter(() => 0),
    'live',
  )
  expect(verdict({ ...WELL, samples: agos.map((ago) => sample(ago, 1001)) })).toHaveLength(count)
  expect(verdict({ ...WELL, samples: agos.map((ago) => sample(ago, 0, 101)) })).toHaveLength(count)
  expect(verdict({ ...WELL, samples: agos.map((ago) => sample(ago, 1000, 100)) })).toEqual([])
})
