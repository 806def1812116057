import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CONSOLE_LIMITS } from '../../../src/contract/console/limits.ts'
import { createRecorder } from '../../../src/http/console/recorder.ts'
import { countInto, newDurations, percentile } from '../../../src/http/console/tally.ts'

const MINUTE_MS = 60_000

function openFixture() {
  const time = { nowMs: 1_800_000_000_000 }
  const recorder = createRecorder({ nowMs: () => time.nowMs })
  const answer = {
    operation: 'markets',
    code: null,
    tookMs: 1,
    cache: null,
    refusedBy: null,
    requestId: 'r',
  } as const
  return { time, recorder, answer }
}

test('a percentile is at most a quarter above the true one, and never below it', () => {
  const durations = fc.array(fc.double({ min: 0.02, max: 60_000, noNaN: true }), {
    minLength: 1,
    maxLength: 300,
  })
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.95, 0.99), (all, share) => {
      const histogram = newDurations()
      for (const ms of all) countInto(histogram, ms)
      const sorted = all.toSorted((a, b) => a - b)
      const truth = sorted[Math.ceil(all.length * share) - 1] ?? 0
      const found = percentile(histogram, share) ?? 0
      expect(found).toBeGreaterThanOrEqual(truth * 0.999_999)
      expect(found).toBeLessThanOrEqual(truth * 1.250_001)
    }),
  )
  expect(percentile(newDurations(), 0.5)).toBeNull()
})

describe('the recorder', () => {
  test('counts answers by operation, with what the cache did and what failed', () => {
    const { recorder, answer } = openFixture()
    recorder.answered({ ...answer, cache: 'hit' })
    recorder.answered({ ...answer, cache: 'miss' })
    recorder.answered({ ...answer, code: 'rate_limited', refusedBy: 'read', requestId: 'x-1' })
    const { operations, refusals, errors } = recorder.figures(0)
    expect(operations).toMatchObject([
      { name: 'markets', total: 3, failed: 1, hits: 1, stale: 0, misses: 1, count: 3 },
    ])
    expect(refusals).toEqual([{ name: 'read', count: 1 }])
    expect(errors).toMatchObject([{ code: 'rate_limited', operation: 'markets', requestId: 'x-1' }])
  })

  test('counts what came out of memory by the time of its period, without asking for another', () => {
    const { time, answer } = openFixture()
    let asked = 0
    const nowMs = () => {
      asked += 1
      return time.nowMs
    }
    const recorder = createRecorder({ nowMs })
    recorder.sample(0, 0)
    const before = asked
    for (let count = 0; count < 100; count += 1) recorder.answered({ ...answer, requestId: null })
    expect(asked).toBe(before)
    time.nowMs += 61 * MINUTE_MS
    recorder.sample(0, 0)
    recorder.answered({ ...answer, requestId: null })
    expect(recorder.figures(0).operations).toMatchObject([{ total: 101, count: 1 }])
  })

  test('forgets durations after an hour, and no count', () => {
    const { recorder, answer, time } = openFixture()
    recorder.answered(answer)
    time.nowMs += 59 * MINUTE_MS
    expect(recorder.figures(0).operations).toMatchObject([{ total: 1, count: 1 }])
    time.nowMs += 2 * MINUTE_MS
    expect(recorder.figures(0).operations).toMatchObject([{ total: 1, count: 0, p99Ms: null }])
    recorder.answered(answer)
    expect(recorder.figures(0).operations).toMatchObject([{ total: 2, count: 1 }])
  })

  test('keeps the last failures and samples, and no more', () => {
    const { recorder, answer, time } = openFixture()
    for (let count = 0; count < 2 * CONSOLE_LIMITS.samplesMax; count += 1) {
      time.nowMs += 1
      recorder.answered({ ...answer, code: 'not_found', requestId: String(count) })
      recorder.sample(0, 0)
    }
    const { errors, samples } = recorder.figures(0)
    expect(errors.length).toBe(CONSOLE_LIMITS.errorsMax)
    expect(errors[0]?.requestId).toBe(String(2 * CONSOLE_LIMITS.samplesMax - 1))
    expect(samples.length).toBe(CONSOLE_LIMITS.samplesMax)
    expect(recorder.figures(time.nowMs - 1).samples.length).toBe(1)
  })

  test('ends a period with each sample', () => {
    const { recorder, answer } = openFixture()
    recorder.answered(answer)
    recorder.answered({ ...answer, code: 'internal' })
    recorder.sample(12.345, 99)
    recorder.sample(0, 99)
    const [first, second] = recorder.figures(0).samples
    expect(first?.slice(1, 3)).toEqual([2, 1])
    expect(first?.slice(4)).toEqual([12.35, 99])
    expect(second?.slice(1, 4)).toEqual([0, 0, 0])
  })

  test('tells calls to the venue and writes by what became of them', () => {
    const { recorder } = openFixture()
    recorder.called(3, null)
    recorder.called(5, 'timeout')
    recorder.written('accepted')
    recorder.written('accepted')
    recorder.written('insufficient_margin')
    const { upstream, writes } = recorder.figures(0)
    expect(upstream).toMatchObject({ total: 2, count: 2, faults: [{ name: 'timeout', count: 1 }] })
    expect(writes).toEqual([
      { name: 'accepted', count: 2 },
      { name: 'insufficient_margin', count: 1 },
    ])
  })
})
