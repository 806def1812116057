import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createWindows } from '../../../../src/simulator/server/limits/window.ts'

const RATE = { requests: 5, seconds: 2 }

test('no period of its length ever holds more than a window takes, and none is refused that would fit', () => {
  const steps = fc.array(
    fc.record({ waitMs: fc.integer({ min: 0, max: 900 }), weight: fc.integer({ min: 1, max: 4 }) }),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(steps, (calls) => {
      const windows = createWindows(10)
      const used: { readonly atMs: number; readonly weight: number }[] = []
      let nowMs = 0
      for (const { waitMs, weight } of calls) {
        nowMs += waitMs
        const recent = used.filter(({ atMs }) => atMs > nowMs - 2000)
        const sum = recent.reduce((total, use) => total + use.weight, 0)
        expect(windows.has('a', RATE, weight, nowMs)).toBe(sum + weight <= 5)
        const left = windows.use('a', RATE, weight, nowMs)
        expect(left).toBe(sum + weight <= 5 ? 5 - sum - weight : null)
        if (left !== null) used.push({ atMs: nowMs, weight })
        else {
          const laterMs = nowMs + windows.waitMs('a', RATE, weight, nowMs)
          const then = used.filter(({ atMs }) => atMs > laterMs - 2000)
          expect(then.reduce((total, use) => total + use.weight, weight)).toBeLessThanOrEqual(5)
        }
      }
    }),
  )
})

test('keys count apart, a clock set back forgives, and the longest unused key goes first', () => {
  const windows = createWindows(2)
  const full = (key: string) => {
    for (let n = 0; n < 5; n++) windows.use(key, RATE, 1, 10_000)
    return windows.use(key, RATE, 1, 10_000)
  }
  expect(full('a')).toBeNull()
  expect(windows.use('b', RATE, 1, 10_000)).toBe(4)
  expect(windows.use('a', RATE, 1, 5000)).toBe(4)
  windows.use('c', RATE, 1, 10_000)
  expect(windows.use('b', RATE, 1, 10_000)).toBe(4)
})
