import { expect, test } from 'bun:test'
import { CONSOLE_LIMITS } from '../../../src/contract/console/limits.ts'
import type { VenueKind } from '../../../src/contract/venue/kind.ts'
import { createMeter, type Meter } from '../../../src/core/observing/meter.ts'
import { createRecorder } from '../../../src/http/console/recorder.ts'
import type { PublicAnswer } from '../../../src/http/console/tally.ts'
import { consoleReasons, lastMinuteFigures } from '../../../src/http/console/verdict.ts'
import { createJudge } from '../../../src/operator/notify/judge.ts'

const START_MS = 1_800_000_000_000

/** A console over a meter and a recorder, whose clock the test moves. */
function openConsole(venue: VenueKind = 'live', meter: Meter = createMeter(() => 0)) {
  const clock = { ms: START_MS, nowMs: () => clock.ms }
  const recorder = createRecorder(clock)
  const lately = () => lastMinuteFigures(recorder, clock.ms)
  const judge = createJudge({ meter, venue, lately, unknownWrites: () => [] })
  const answered = (code: string | null, count = 1, tookMs = 1) => {
    const answer: PublicAnswer = {
      ...{ operation: 'markets', code, tookMs, cache: null, refusedBy: null, requestId: 'r' },
    }
    for (let made = 0; made < count; made += 1) recorder.answered(answer)
  }
  return {
    judge,
    recorder,
    answered,
    /** Ends a period in which timers ran this late. */
    period: (loopDelayMs = 0) => {
      recorder.sample(loopDelayMs, 1)
      clock.ms += CONSOLE_LIMITS.sampleEveryMs
    },
    pass: (ms: number) => {
      clock.ms += ms
    },
    reasons: (missing: string | null = null) => consoleReasons(judge, clock.ms, missing),
  }
}

test('all is well where no condition holds', () => {
  expect(openConsole().reasons()).toEqual([])
})

test('what has to be mended now comes first, with what to do and where to look', () => {
  const meter = createMeter(() => 0)
  meter.reading('prepd_data_free_bytes', () => 2 ** 29)
  const reasons = openConsole('live', meter).reasons('venue: upstream_unavailable')
  expect(reasons.map(({ level, at }) => [level, at])).toEqual([
    ['page', 'venue'],
    ['warn', 'state'],
  ])
  expect(reasons.map(({ title, figure }) => [title, figure])).toEqual([
    ['The venue does not answer.', 'Missing: venue: upstream_unavailable.'],
    ['Less than 1 GiB is free on the disk of the data directory.', '512 MiB are free.'],
  ])
  expect(reasons.every(({ action }) => action.length > 0)).toBe(true)
})

test('books that are not known make a market on paper stand still; where there is none, nothing is said', () => {
  const meter = createMeter(() => 0)
  let away: number | null = null
  meter.reading('prepd_venue_books_away', () => away)
  const { reasons } = openConsole('paper', meter)
  expect(reasons()).toEqual([])
  away = 1
  expect(reasons()).toMatchObject([
    { level: 'warn', at: 'venue', title: expect.stringContaining('not every live order book') },
  ])
  away = 0
  expect(reasons()).toEqual([])
})

test('records without a backup count for a live venue alone', () => {
  const meter = createMeter(() => 0)
  meter.reading('prepd_backup_time_seconds', () => 0)
  expect(openConsole('live', meter).reasons()).toHaveLength(1)
  expect(openConsole('embedded', meter).reasons()).toEqual([])
})

test('failures of this side are counted by code, for five minutes', () => {
  const { answered, pass, reasons } = openConsole()
  answered('upstream_unavailable', 2)
  answered('upstream_timeout')
  expect(reasons()).toMatchObject([
    {
      title: 'Requests failed on this side in the last five minutes.',
      figure: '3 requests: upstream_unavailable 2, upstream_timeout 1.',
      ...{ at: 'failures', tile: 'failed' },
    },
  ])
  pass(CONSOLE_LIMITS.faultsWithinMs + 1)
  expect(reasons()).toEqual([])
})

test.each([
  ['three periods of the last minute', 3, 0, 1],
  ['two of them', 2, 0, 0],
  ['older ones', 3, 60_000, 0],
])('requests and this process are slow after %s over the limit', (_, periods, agoMs, count) => {
  for (const [tookMs, loopMs, tile] of [
    [3000, 0, 'slowest'],
    [1, 101, 'loop'],
  ] as const) {
    const { answered, period, pass, reasons } = openConsole()
    for (let made = 0; made < periods; made += 1) {
      answered(null, 1, tookMs)
      period(loopMs)
    }
    pass(agoMs)
    expect(reasons().map((reason) => reason.tile)).toEqual(count === 1 ? [tile] : [])
  }
})

test.each([
  ['6 of 100', 94, 6, ['failed']],
  ['5 of 100', 95, 5, []],
  ['all of 19, which are too few,', 0, 19, []],
])(
  '%s requests that are refused are a reason, as their share is a figure',
  (_, well, bad, tiles) => {
    const { answered, period, reasons } = openConsole()
    answered(null, well)
    answered('not_found', bad)
    period()
    expect(reasons().map(({ tile }) => `${tile}`)).toEqual(tiles)
  },
)

test('a venue whose slowest calls take longer than three seconds is a reason, as they are a figure', () => {
  const { recorder, reasons } = openConsole()
  recorder.called(2000, null)
  expect(reasons()).toEqual([])
  recorder.called(5000, null)
  expect(reasons()).toMatchObject([{ at: 'venue', tile: 'venue', level: 'warn' }])
})

test('readiness explains a part in the words of the part', () => {
  const { judge, reasons } = openConsole()
  judge.explain('descriptors', () => 'All are in use.')
  expect(reasons()).toMatchObject([{ level: 'page', figure: 'All are in use.' }])
})
