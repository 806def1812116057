import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { METRIC_SERIES_MAX } from '../../../src/contract/operator/metrics.ts'
import { createBuckets } from '../../../src/core/observing/histogram.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'

const meter = () => createMeter(() => 0)

describe('a meter', () => {
  test('prints what was counted, and nothing of what was not', () => {
    const { counter, text } = meter()
    counter('prepd_refusals_total', 'read').add()
    counter('prepd_refusals_total', 'read').add(2)
    expect(text()).toBe(
      [
        '# HELP prepd_refusals_total Requests that a rate limit refused.',
        '# TYPE prepd_refusals_total counter',
        'prepd_refusals_total{policy="read"} 3\n',
      ].join('\n'),
    )
  })

  test('reads a figure when it is shown, and leaves out one that there is not', () => {
    const { reading, samples, text } = meter()
    let held = 1
    reading('prepd_rate_windows', () => held)
    reading('process_max_fds', () => null)
    held = 2
    expect(samples('prepd_rate_windows')).toEqual([{ labels: [], value: 2 }])
    expect(text()).not.toContain('process_max_fds')
  })

  test('tells what a histogram has, of a series that was asked for', () => {
    const { histogram, durations } = meter()
    const NAME = 'prepd_engine_call_duration_seconds'
    expect(durations(NAME, 'valkey')).toBeNull()
    for (const seconds of [0.0004, 0.0008, 0.2]) histogram(NAME, 'valkey').observe(seconds)
    expect(durations(NAME, 'valkey')?.count()).toBe(3)
    expect(durations(NAME, 'valkey')?.within(0.5)).toBe(0.001)
    expect(durations(NAME, 'postgres')).toBeNull()
  })

  test('keeps a value of a label in its quotes', () => {
    const { counter, text } = meter()
    counter('prepd_refusals_total', 'a"b\\c\nd').add()
    expect(text()).toContain('policy="a\\"b\\\\c\\nd"')
  })

  test('counts what would be one series too many as another, and loses none', () => {
    const { counter, samples } = meter()
    const asked = METRIC_SERIES_MAX + 50
    for (let at = 0; at < asked; at += 1) counter('prepd_mcp_calls_total', `tool${at}`, 'ok').add()
    const all = samples('prepd_mcp_calls_total')
    expect(all).toHaveLength(METRIC_SERIES_MAX + 1)
    expect(all.at(-1)).toEqual({ labels: ['other', 'other'], value: 50 })
  })
})

test('buckets hold every duration once, and each bound all that are at most it', () => {
  const BOUNDS = [0.1, 0.5, 2]
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 5, noNaN: true })), (durations) => {
      const buckets = createBuckets(BOUNDS)
      for (const seconds of durations) buckets.observe(seconds)
      expect(buckets.count()).toBe(durations.length)
      expect(buckets.upTo()).toEqual(
        BOUNDS.map((bound) => durations.filter((seconds) => seconds <= bound).length),
      )
    }),
  )
})

test('buckets know the least bound that a part of all did not pass', () => {
  const BOUNDS = [0.1, 0.5, 2]
  expect(createBuckets(BOUNDS).within(0.5)).toBeNull()
  const part = fc.double({ min: 0.01, max: 1, noNaN: true })
  const durations = fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { minLength: 1 })
  fc.assert(
    fc.property(durations, part, (all, wanted) => {
      const buckets = createBuckets(BOUNDS)
      for (const seconds of all) buckets.observe(seconds)
      const enough = (bound: number) =>
        all.filter((seconds) => seconds <= bound).length >= wanted * all.length
      expect(buckets.within(wanted)).toBe(BOUNDS.find(enough) ?? 2)
    }),
  )
})
