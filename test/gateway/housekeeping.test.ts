import { afterEach, beforeEach, expect, test, vi } from 'bun:test'
import { LIMITS } from '../../src/contract/limits.ts'
import { createMeter } from '../../src/core/observing/meter.ts'
import { startHousekeeping } from '../../src/gateway/housekeeping.ts'
import { openSqlite } from '../../src/store/sqlite.ts'

const START_MS = 1_700_000_000_000
const quiet = (): void => undefined
let passedMs = 0
let setForwardMs = 0
let store: ReturnType<typeof openSqlite>
/** Windows that wait to be written, and how many were written in each turn. */
let windows = 0
let turns: number[] = []
let stop = quiet
let meter = createMeter(() => 0)
/** Whether windows cannot be written now, and what was logged of it. */
let isFailing = false
let errors: unknown[] = []

const nowMs = () => START_MS + passedMs + setForwardMs
const claim = { identity: 'order', sinceMs: START_MS, expiresAtMs: START_MS + 360_000 }
const isClaimed = async () => {
  const again = store.once.claim(claim, START_MS)
  vi.advanceTimersByTime(1)
  return !(await again)
}

async function pass(ms: number): Promise<void> {
  for (const end = passedMs + ms; passedMs < end; passedMs += 1000) {
    vi.advanceTimersByTime(1000)
    // The outcome of a sweep arrives in a later turn.
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
  }
}

beforeEach(async () => {
  passedMs = 0
  setForwardMs = 0
  windows = 0
  turns = []
  meter = createMeter(() => 0)
  isFailing = false
  errors = []
  store = openSqlite(':memory:', START_MS)
  await store.once.claim(claim, START_MS)
  vi.useFakeTimers()
  stop = startHousekeeping({
    clock: { nowMs },
    venueClock: { nowMs },
    monotonicMs: () => passedMs,
    random: { bytes: (length) => new Uint8Array(length) },
    log: { error: (...line) => errors.push(line), warn: quiet, info: quiet, debug: quiet },
    meter,
    limiter: {
      flush: (rowsMax) => {
        if (isFailing) throw new RangeError('no disk')
        const rows = Math.min(rowsMax, windows)
        windows -= rows
        turns.push(rows)
        return rows
      },
      reconcile: null,
    },
    store,
    writes: { sweep: quiet },
  })
})
afterEach(() => {
  stop()
  vi.useRealTimers()
  store.close()
})

// Slow: the clock moves second by second over the life of a claim.
test('a claim that has expired is forgotten', async () => {
  await pass(LIMITS.claimLifeMaxMs + 5000)
  expect(await isClaimed()).toBe(false)
})

test('a claim outlives a clock set forward and back, though it would have expired', async () => {
  await pass(2000)
  setForwardMs = 24 * 3_600_000
  await pass(300_000)
  setForwardMs = 0
  expect(await isClaimed()).toBe(true)
})

test('a clock that stays where it was set is believed once no claim can be fresh any more', async () => {
  await pass(2000)
  setForwardMs = 24 * 3_600_000
  await pass(LIMITS.claimLifeMaxMs - 2000)
  expect(await isClaimed()).toBe(true)
  await pass(5000)
  expect(await isClaimed()).toBe(false)
})

/** Lets timers run, and what each of them began come to its end. */
async function turnsIn(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 10) {
    vi.advanceTimersByTime(10)
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
  }
}

test('many windows are written a few at a time, within a second’s number, and the rest in the next', async () => {
  windows = 6000
  await turnsIn(1000)
  expect(turns).toEqual([250])
  await turnsIn(900)
  expect(turns).toEqual(Array.from({ length: 20 }, () => 250))
  await turnsIn(600)
  expect(windows).toBe(0)
})

test('where nothing waits, one look a second is all', async () => {
  await turnsIn(1900)
  expect(turns).toEqual([0])
})

test('a thread that has nothing to write rests, and one that writes does not', async () => {
  await turnsIn(20_000)
  turns = []
  await turnsIn(20_000)
  expect(turns).toEqual([0, 0, 0, 0])
  windows = 1_000_000
  await turnsIn(5000)
  // Its timers run again from the next turn of the loop on, which no fake timer stands for.
  await new Promise((resolve) => setImmediate(resolve))
  turns = []
  await turnsIn(5000)
  expect(turns).toHaveLength(100)
})

test('a write of windows that fails is logged and counted, and tried again in the next second', async () => {
  const failures = () =>
    meter.samples('prepd_housekeeping_failures_total').find(({ labels }) => labels[0] === 'flush')
      ?.value
  windows = 10
  isFailing = true
  await turnsIn(2000)
  expect(errors).toEqual(
    Array(2).fill(['housekeeping_failed', { what: 'flush', error: 'RangeError' }]),
  )
  expect(failures()).toBe(2)
  isFailing = false
  await turnsIn(1000)
  expect([windows, failures(), errors.length]).toEqual([0, 2, 2])
})

test('nothing is written once it is over', async () => {
  windows = 6000
  await turnsIn(1000)
  stop()
  await turnsIn(3000)
  expect(turns).toEqual([250])
})

test('what an account has used is forgotten after a day of the venue, though the account sends nothing more', async () => {
  const reservation = {
    ...{ scope: 'mine', identity: 'order', atMs: START_MS },
    uses: [{ symbol: 'PERP_ETH_USDC', micros: 5n, orders: 1 }],
  }
  const reserved = store.spending.reserve(reservation, () => null, 0)
  vi.advanceTimersByTime(1)
  await reserved
  const used = async () => (await store.spending.used('mine', START_MS)).dayMicros
  await pass(LIMITS.claimLifeMaxMs + 2000)
  expect(await used()).toBe(5n)
  // The wall clock alone forgets nothing: it may be set back.
  setForwardMs = 90_000_000
  await pass(2000)
  expect(await used()).toBe(5n)
  await pass(LIMITS.claimLifeMaxMs + 2000)
  expect(await used()).toBe(0n)
})
