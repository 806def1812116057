import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Policy } from '../../../src/contract/limits.ts'
import { decide } from '../../../src/gateway/limits/gcra.ts'

const WRITE = { requests: 10, seconds: 60, burst: 5 }
const START_MS = 1_700_000_000_000

/** Sends at the given times through one window; answers which passed. */
function run(policy: Policy, timesMs: readonly number[]): boolean[] {
  let atMs: number | undefined
  return timesMs.map((nowMs) => {
    const decided = decide(atMs, nowMs, policy)
    atMs = decided.atMs
    return decided.allowed
  })
}

/** The algorithm as a bucket of exact fractions: time is counted in 1/requests of a millisecond. */
function model(policy: Policy, timesMs: readonly number[]): boolean[] {
  const requests = BigInt(policy.requests)
  const cost = BigInt(policy.seconds) * 1000n
  let full = 0n
  return timesMs.map((ms) => {
    const now = BigInt(ms) * requests
    const owed = full > now ? full - now : 0n
    const allowed = owed + cost <= cost * BigInt(policy.burst)
    if (allowed) full = now + owed + cost
    return allowed
  })
}

const policies = fc.record({
  requests: fc.integer({ min: 1, max: 4000 }),
  seconds: fc.integer({ min: 1, max: 3600 }),
  burst: fc.integer({ min: 1, max: 50 }),
})

describe('a window', () => {
  test('lets the burst through at once and refuses the next', () => {
    expect(run(WRITE, Array(7).fill(START_MS))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })

  test('then lets one through every seconds / requests, and not a millisecond earlier', () => {
    const times = [...Array(5).fill(START_MS), START_MS + 5999, START_MS + 6000, START_MS + 6001]
    expect(run(WRITE, times).slice(5)).toEqual([false, true, false])
  })

  test('says what is left, when to come back and when all of it is back', () => {
    const first = decide(undefined, START_MS, WRITE)
    expect(first).toEqual({
      allowed: true,
      atMs: START_MS + 6000,
      remaining: 4,
      retryAfterMs: 0,
      resetMs: 6000,
    })
    const full = decide(START_MS + 30_000, START_MS + 1, WRITE)
    expect(full).toEqual({
      allowed: false,
      atMs: START_MS + 30_000,
      remaining: 0,
      retryAfterMs: 5999,
      resetMs: 29_999,
    })
  })

  test('locks nobody out for longer than a burst when the clock goes back a day', () => {
    const before = decide(undefined, START_MS, WRITE)
    const dayEarlierMs = START_MS - 86_400_000
    const after = decide(before.atMs, dayEarlierMs, WRITE)
    expect(after.allowed).toBe(false)
    expect(after.retryAfterMs).toBe(6000)
    expect(decide(after.atMs, dayEarlierMs + 6000, WRITE).allowed).toBe(true)
    expect(after.resetMs).toBe(30_000)
  })

  test('keeps its rate over a million requests whose interval is no whole number', () => {
    const policy = { requests: 7, seconds: 3, burst: 3 }
    let atMs: number | undefined
    let passed = 0
    for (let ask = 0; ask < 1_000_000; ask += 1) {
      const decided = decide(atMs, START_MS + ask * 100, policy)
      atMs = decided.atMs
      passed += Number(decided.allowed)
    }
    expect(passed).toBe(policy.burst + Math.floor((99_999.9 * 7) / 3))
  })
})

describe('for any policy and any traffic', () => {
  test('decisions are those of exact fractions', () => {
    const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5000 })), {
      maxLength: 120,
    })
    fc.assert(
      fc.property(policies, gaps, (policy, gapsMs) => {
        let nowMs = START_MS
        const times = gapsMs.map((gap) => (nowMs += gap))
        expect(run(policy, times)).toEqual(model(policy, times))
      }),
    )
  })

  test('a caller who waits as long as it is told passes, and one millisecond less does not', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 0, max: 100_000 }), (policy, extraMs) => {
        const atMs = START_MS + extraMs
        const refused = decide(atMs, START_MS, policy)
        fc.pre(!refused.allowed)
        expect(decide(refused.atMs, START_MS + refused.retryAfterMs, policy).allowed).toBe(true)
        expect(decide(refused.atMs, START_MS + refused.retryAfterMs - 1, policy).allowed).toBe(
          false,
        )
      }),
    )
  })

  test('wherever the clock jumps, the wait is never longer than one interval and the debt than a burst', () => {
    const jumps = fc.array(fc.integer({ min: -10_000_000, max: 10_000_000 }), { maxLength: 60 })
    fc.assert(
      fc.property(policies, jumps, (policy, jumpsMs) => {
        const intervalMs = (policy.seconds * 1000) / policy.requests
        let atMs: number | undefined
        let nowMs = START_MS
        for (const jump of jumpsMs) {
          nowMs += jump
          const decided = decide(atMs, nowMs, policy)
          atMs = decided.atMs
          expect(decided.retryAfterMs).toBeLessThanOrEqual(Math.ceil(intervalMs))
          expect(decided.resetMs).toBeLessThanOrEqual(Math.ceil(intervalMs * policy.burst))
          expect(decided.remaining).toBeWithin(0, policy.burst)
        }
      }),
    )
  })
})
