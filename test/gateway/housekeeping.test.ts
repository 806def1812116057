import { afterEach, beforeEach, expect, test, vi } from 'bun:test'
import { createMeter } from '../../src/core/observing/meter.ts'
import { startHousekeeping } from '../../src/gateway/housekeeping.ts'
import { LIMITS } from '../../src/spec/limits.ts'
import { openSqlite } from '../../src/store/sqlite.ts'

const START_MS = 1_700_000_000_000
const quiet = (): void => undefined
let passedMs = 0
let setForwardMs = 0
let store: ReturnType<typeof openSqlite>
let stop = quiet

const nowMs = () => START_MS + passedMs + setForwardMs
const claim = { identity: 'order', sinceMs: START_MS, expiresAtMs: START_MS + 360_000 }
const isClaimed = async () => {
  const again = store.once.claim(claim, START_MS)
  vi.advanceTimersByTime(1)
  return !(await again)
}

function pass(ms: number): void {
  for (const end = passedMs + ms; passedMs < end; passedMs += 1000) vi.advanceTimersByTime(1000)
}

beforeEach(async () => {
  passedMs = 0
  setForwardMs = 0
  store = openSqlite(':memory:', START_MS)
  await store.once.claim(claim, START_MS)
  vi.useFakeTimers()
  stop = startHousekeeping({
    clock: { nowMs },
    monotonicMs: () => passedMs,
    random: { bytes: (length) => new Uint8Array(length) },
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    meter: createMeter(() => 0),
    limiter: { flush: () => 0, reconcile: null },
    store,
    writes: { sweep: quiet },
  })
})
afterEach(() => {
  stop()
  vi.useRealTimers()
  store.close()
})

test('a claim that has expired is forgotten', async () => {
  pass(LIMITS.claimLifeMaxMs + 2000)
  expect(await isClaimed()).toBe(false)
})

test('a claim outlives a clock set forward and back, though it would have expired', async () => {
  pass(2000)
  setForwardMs = 24 * 3_600_000
  pass(300_000)
  setForwardMs = 0
  expect(await isClaimed()).toBe(true)
})

test('a clock that stays where it was set is believed once no claim can be fresh any more', async () => {
  pass(2000)
  setForwardMs = 24 * 3_600_000
  pass(LIMITS.claimLifeMaxMs - 2000)
  expect(await isClaimed()).toBe(true)
  pass(5000)
  expect(await isClaimed()).toBe(false)
})
