import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '../../../src/contract/durations.ts'
import {
  MONTH_MS,
  spanBefore,
  spanEnd,
  spanStart,
  WEEK_MS,
} from '../../../src/simulator/past/spans.ts'

const at = (text: string) => Date.parse(`${text}Z`)

describe('the candle that holds a time', () => {
  test.each([
    [HOUR_MS, '2026-04-29T13:47:11', '2026-04-29T13:00', '2026-04-29T14:00'],
    [4 * HOUR_MS, '2026-04-29T13:47:11', '2026-04-29T12:00', '2026-04-29T16:00'],
    [DAY_MS, '2026-04-29T13:47:11', '2026-04-29T00:00', '2026-04-30T00:00'],
    [WEEK_MS, '2026-04-29T13:47:11', '2026-04-27T00:00', '2026-05-04T00:00'],
    [WEEK_MS, '2026-04-27T00:00:00', '2026-04-27T00:00', '2026-05-04T00:00'],
    [MONTH_MS, '2026-02-28T23:59:59', '2026-02-01T00:00', '2026-03-01T00:00'],
    [MONTH_MS, '2025-12-31T12:00:00', '2025-12-01T00:00', '2026-01-01T00:00'],
  ])('of %d ms at %s runs from %s to %s', (resolutionMs, time, start, end) => {
    expect(spanStart(resolutionMs, at(time))).toBe(at(start))
    expect(spanEnd(resolutionMs, at(start))).toBe(at(end))
  })

  test('is counted back in whole candles, and in calendar months', () => {
    expect(spanBefore(DAY_MS, at('2026-04-29T13:47'), 2)).toBe(at('2026-04-27T00:00'))
    expect(spanBefore(MONTH_MS, at('2026-01-15T00:00'), 2)).toBe(at('2025-11-01T00:00'))
    expect(spanBefore(WEEK_MS, at('2026-04-29T13:47'), 0)).toBe(at('2026-04-27T00:00'))
  })
})
