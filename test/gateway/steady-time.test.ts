import { expect, test } from 'bun:test'
import { createSteadyTime } from '../../src/gateway/steady-time.ts'

const HOUR_MS = 3_600_000
const HOLD_MS = 60_000

/** A steady time asked each second of a clock that may be set. */
function fixture() {
  let monotonicMs = 5000
  let offsetMs = 1_700_000_000_000
  const time = createSteadyTime({
    clock: { nowMs: () => Math.round(monotonicMs + offsetMs) },
    monotonicMs: () => monotonicMs,
    holdMs: HOLD_MS,
  })
  const pass = (seconds: number) => {
    let last = time()
    for (let second = 0; second < seconds; second += 1) {
      monotonicMs += 1000
      last = time()
    }
    return last
  }
  const set = (ms: number) => {
    offsetMs += ms
  }
  return { pass, set, wallMs: () => monotonicMs + offsetMs }
}

test('nothing is known of a clock that has only just been seen', () => {
  const { pass, wallMs } = fixture()
  expect(pass(0)).toBeNull()
  expect(pass(59)).toBeNull()
  expect(pass(1)).toBe(wallMs())
})

test('a clock set forward is followed at the monotonic pace, until it has held', () => {
  const { pass, set, wallMs } = fixture()
  pass(60)
  set(HOUR_MS)
  expect(pass(1)).toBe(wallMs() - HOUR_MS)
  expect(pass(58)).toBe(wallMs() - HOUR_MS)
  expect(pass(1)).toBe(wallMs())
})

test('a clock set forward and back again was never believed', () => {
  const { pass, set, wallMs } = fixture()
  pass(60)
  set(HOUR_MS)
  pass(50)
  set(-HOUR_MS)
  expect(pass(1)).toBe(wallMs())
  expect(pass(200)).toBe(wallMs())
})

test('a clock set back is followed at once: nothing expires earlier by it', () => {
  const { pass, set, wallMs } = fixture()
  pass(60)
  set(-HOUR_MS)
  expect(pass(1)).toBe(wallMs())
})

test('a slow drift is no jump', () => {
  const { pass, set, wallMs } = fixture()
  pass(60)
  for (let n = 0; n < 100; n += 1) {
    set(10)
    const behindMs = wallMs() + 1000 - Number(pass(1))
    expect(behindMs).toBeLessThanOrEqual(1010)
  }
})

test('a steady time is whole milliseconds, never ahead, though the monotonic clock has fractions', () => {
  let passedMs = 5000.125
  const time = createSteadyTime({
    clock: { nowMs: () => 1_700_000_000_000 + Math.ceil(passedMs) },
    monotonicMs: () => passedMs,
    holdMs: 0,
  })
  for (let step = 0; step < 200; step += 1) {
    passedMs += 2.3
    const atMs = Number(time())
    expect(Number.isInteger(atMs)).toBe(true)
    expect(atMs).toBeLessThanOrEqual(1_700_000_000_000 + Math.ceil(passedMs))
    expect(atMs).toBeGreaterThan(1_700_000_000_000 + passedMs - 2)
  }
})
