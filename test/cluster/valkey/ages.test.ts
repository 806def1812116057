import { expect } from 'bun:test'
import { createCache } from '../../../src/gateway/cache/cache.ts'
import { withChecksum } from '../../../src/gateway/cache/checksum.ts'
import { KEY, replyOf } from '../../gateway/cache/fixture.ts'
import { testsNeeding } from '../../programs.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from '../valkey.ts'
import { connected, openInstance, SILENT } from './fixture.ts'

const { afterAll, afterEach, beforeAll, describe, test } = testsNeeding(
  'ages of answers in Valkey',
  ...VALKEY_PROGRAMS,
)

/** Far longer than the test takes on any machine, since the engine's clock cannot be stopped. */
const FRESH_SECONDS = 3600
const FRESH_ONLY = {
  freshSeconds: FRESH_SECONDS,
  staleWhileRevalidateSeconds: 0,
  staleIfErrorSeconds: 0,
}

let running: RunningValkey
beforeAll(async () => {
  running = await startValkey()
})
afterAll(() => running.stop())

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  await running.cli('flushall')
})

/** The cache of an instance whose clock is so far ahead of the engine's, and how many loads it has made. */
async function instance(aheadMs: number) {
  let [movedMs, loads] = [0, 0]
  const clock = { nowMs: () => Date.now() + aheadMs + movedMs }
  const { valkey } = await openInstance(running.url, clock)
  ends.push(valkey.close)
  await connected(valkey)
  const cache = createCache({
    clock,
    wallClock: clock,
    isStepped: false,
    log: SILENT,
    store: valkey.responses,
    storeCosts: { lifeMinMs: 0, minuteMaxBytes: 1_000_000, rowBytes: 1, copies: 1 },
    leases: valkey.leases,
    memoryMaxBytes: 1_000_000,
    waitMaxMs: 5000,
  })
  const load = async () => {
    loads += 1
    return replyOf(loads)
  }
  return {
    valkey,
    ask: () => cache.serve(KEY, FRESH_ONLY, load),
    loads: () => loads,
    later: (ms: number) => {
      movedMs += ms
    },
  }
}

describe.each([
  [20_000, 0],
  [-20_000, 0],
  [0, 20_000],
  [0, -20_000],
])('an answer of an instance whose clock is %i ms ahead', (writerMs, readerMs) => {
  // Slow: two instances connect to Valkey.
  test(`is as old as it is at one whose clock is ${readerMs} ms ahead`, async () => {
    const [writer, reader] = [await instance(writerMs), await instance(readerMs)]
    const passed = stopwatch()
    await writer.ask()
    expect((await reader.ask()).ageSeconds).toBeLessThanOrEqual(passed())
    reader.later(FRESH_SECONDS * 1000 + 1)
    // By the engine's clock, which has not moved, the answer is still new.
    expect((await reader.ask()).ageSeconds).toBeLessThanOrEqual(passed())
    expect(reader.loads()).toBe(0)
  })

  test(`is listed with its age at one whose clock is ${readerMs} ms ahead`, async () => {
    const [writer, reader] = [await instance(writerMs), await instance(readerMs)]
    const beforeMs = Date.now()
    await writer.ask()
    await reader.ask()
    const { rows } = await reader.valkey.responses.list('', 9)
    expect(rows).toHaveLength(1)
    const fetchedAtMs = (rows[0]?.fetchedAtMs ?? 0) - readerMs
    expect(fetchedAtMs).toBeWithin(beforeMs - 1000, Date.now() + 1000)
  })

  test(`is loaded anew after its lifetime at one whose clock is ${readerMs} ms ahead`, async () => {
    const [writer, reader] = [await instance(writerMs), await instance(readerMs)]
    const passed = stopwatch()
    const nowMs = Date.now() + writerMs
    const old = { bytes: replyOf(0).bytes, fetchedAtMs: nowMs - 3_000_000 }
    await writer.valkey.responses.put(KEY, withChecksum(KEY, old), nowMs + 7_200_000)
    const { ageSeconds } = await reader.ask()
    expect(ageSeconds).toBeWithin(3000, 3001 + passed())
    expect(reader.loads()).toBe(0)
    reader.later(600_001)
    expect((await reader.ask()).ageSeconds).toBeLessThanOrEqual(passed())
    expect(reader.loads()).toBe(1)
  })
})

/** At most how many seconds have passed since it was started. */
function stopwatch(): () => number {
  const startedMs = performance.now()
  return () => Math.ceil((performance.now() - startedMs) / 1000)
}
