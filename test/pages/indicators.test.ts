import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  bollinger,
  ema,
  type IndicatorValues,
  macd,
  rsi,
  sma,
} from '../../src/pages/trade/chart/indicators.ts'
import vectors from './indicator-vectors.json'

const { closes } = vectors

/** The values that there are, as the library that made the vectors answers them. */
function known(values: IndicatorValues): readonly number[] {
  return values.filter((value) => value !== null)
}

describe('an indicator has the values of a published library', () => {
  const bands = bollinger(closes, 20, 2)
  const convergence = macd(closes, 12, 26, 9)

  test.each([
    ['MA', sma(closes, 20), vectors.sma],
    ['EMA', ema(closes, 20), vectors.ema],
    ['Bollinger, above', bands.upper, vectors.upper],
    ['Bollinger, middle', bands.middle, vectors.sma],
    ['Bollinger, below', bands.lower, vectors.lower],
    ['RSI', rsi(closes, 14), vectors.rsi],
    ['MACD', convergence.line, vectors.macd],
    ['MACD, signal', convergence.signal, vectors.signal],
    ['MACD, histogram', convergence.histogram, vectors.histogram],
  ] as const)('%s', (_, values, wanted) => {
    const [found, expected] = [known(values), known(wanted)]
    expect(values).toHaveLength(closes.length)
    expect(found).toHaveLength(expected.length)
    for (const [at, value] of found.entries()) expect(value).toBeCloseTo(expected[at] ?? 0, 8)
  })
})

test('of any prices an index stays from 0 to 100, bands hold their mean, and too few have no value', () => {
  const prices = fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { maxLength: 60 })
  fc.assert(
    fc.property(prices, (values) => {
      for (const value of known(rsi(values, 14))) {
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThanOrEqual(100)
      }
      const { upper, middle, lower } = bollinger(values, 20, 2)
      for (const [at, mean] of middle.entries()) {
        expect(mean === null).toBe(at < 19)
        if (mean !== null) expect((upper[at] ?? 0) - (lower[at] ?? 0)).toBeGreaterThanOrEqual(0)
      }
      expect(known(ema(values.slice(0, 19), 20))).toEqual([])
      expect(rsi(values, 14)).toHaveLength(values.length)
    }),
  )
})

test('a flat market is neither bought nor sold', () => {
  expect(
    known(
      rsi(
        Array.from({ length: 20 }, () => 5),
        14,
      ),
    ),
  ).toEqual([50, 50, 50, 50, 50, 50])
})
