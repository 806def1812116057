import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../../src/core/failure.ts'
import { createRecorder } from '../../../src/http/console/recorder.ts'
import { keepTraffic } from '../../../src/http/console/traffic.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'

const MINUTE_MS = 60_000
const START_MS = 1_800_000_000_000
const ANSWER = {
  ...{ operation: 'markets', code: null, tookMs: 1, cache: null, refusedBy: null },
  requestId: 'r',
} as const

let store: ReturnType<typeof openSqlite>
beforeEach(() => {
  store = openSqlite(':memory:', START_MS)
})
afterEach(() => store.close())

/** A recorder whose minutes are kept, as a process has them from a moment on. */
function openLife(startMs: number) {
  let nowMs = startMs
  let isAway = false
  let failures = 0
  const recorder = createRecorder({ nowMs: () => Math.floor(nowMs) })
  const add: typeof store.traffic.add = async (...row) => {
    if (isAway) throw new Failure('store_unavailable')
    await store.traffic.add(...row)
  }
  const kept = keepTraffic({
    store: { ...store.traffic, add },
    recorder,
    monotonicMs: () => nowMs,
    failed: () => {
      failures += 1
    },
    instance: () => ({ name: 'a', version: '1', sinceMs: startMs, seenMs: nowMs, isReady: null }),
  })
  return {
    ...kept,
    failures: () => failures,
    pass: async (ms: number, requests = 0, failed = 0) => {
      for (let at = 0; at < requests; at++)
        recorder.answered({ ...ANSWER, code: at < failed ? 'internal' : null })
      nowMs += ms
      recorder.sample(3, 1000)
      await kept.tick()
    },
    setAway: (is: boolean) => {
      isAway = is
    },
  }
}

const minutes = () => store.traffic.minutes('a', 0)

test('a minute is stored when it is over, with all that was answered in it', async () => {
  const life = openLife(START_MS)
  await life.pass(5000, 3, 1)
  await life.pass(54_999, 2)
  expect(await minutes()).toEqual([])
  await life.pass(1, 1)
  await life.pass(30_000)
  expect(await minutes()).toEqual([
    [START_MS + MINUTE_MS, MINUTE_MS, 6, 1, expect.any(Number), 3, 1000],
  ])
  await life.stop()
})

test('a minute is stored by a clock that has parts of milliseconds', async () => {
  const life = openLife(START_MS)
  await life.pass(MINUTE_MS + 0.375)
  expect((await minutes()).map(([, spanMs]) => spanMs)).toEqual([MINUTE_MS])
  expect(life.failures()).toBe(0)
  await life.stop()
})

test('an idle minute is stored too, with no latency: it differs from one in which nothing ran', async () => {
  const life = openLife(START_MS)
  await life.pass(MINUTE_MS)
  expect(await minutes()).toEqual([[START_MS + MINUTE_MS, MINUTE_MS, 0, 0, null, 3, 1000]])
  await life.stop()
})

test('minutes that the store could not take come with the next, none of them twice', async () => {
  const life = openLife(START_MS)
  life.setAway(true)
  for (const requests of [1, 2]) await life.pass(MINUTE_MS, requests)
  expect(await minutes()).toEqual([])
  expect(life.failures()).toBe(2)
  life.setAway(false)
  for (const requests of [3, 4]) await life.pass(MINUTE_MS, requests)
  expect((await minutes()).map(([, , requests]) => requests)).toEqual([1, 2, 3, 4])
  await life.stop()
})

test('all that is answered is in the minutes, over stops and starts, and what is not known is in none', async () => {
  const PASS = fc.record({ ms: fc.integer({ min: 1, max: 90_000 }), requests: fc.nat(20) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(PASS, { maxLength: 8 }), { maxLength: 4 }),
      async (lives) => {
        store.close()
        store = openSqlite(':memory:', START_MS)
        let [nowMs, answered, ranMs] = [START_MS, 0, 0]
        for (const passes of lives) {
          const life = openLife(nowMs)
          for (const { ms, requests } of passes) {
            await life.pass(ms, requests)
            nowMs += ms
            ranMs += ms
            answered += requests
          }
          await life.stop()
          nowMs += 3_600_000
        }
        const rows = await minutes()
        expect(rows.reduce((sum, [, , requests]) => sum + requests, 0)).toBe(answered)
        expect(rows.reduce((sum, [, spanMs]) => sum + spanMs, 0)).toBe(ranMs)
      },
    ),
    { numRuns: 30 },
  )
})
