import { describe, expect, test } from 'bun:test'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { BUCKET_MS, createPricePath } from '../../../src/simulator/past/path.ts'
import { NOW_MS } from '../feed/calls.ts'

const NOW = Math.floor(NOW_MS / BUCKET_MS)
const BUCKETS = Array.from({ length: 500 }, (_, position) => NOW + position * 977)

describe.each([...MARKETS.values()].map((market) => [market.symbol, market] as const))(
  'the path of %s',
  (_, market) => {
    const path = createPricePath(market, 1, null)

    test('keeps to whole ticks and within reach of its reference price', () => {
      for (const bucket of BUCKETS) {
        const mark = path.mark(bucket)
        expect(Number.isInteger(mark) && Number.isInteger(path.index(bucket))).toBe(true)
        expect(mark / market.referenceTicks).toBeGreaterThan(0.6)
        expect(mark / market.referenceTicks).toBeLessThan(1.7)
      }
    })

    test('keeps the mark near the index, well within the band that the rules publish', () => {
      for (const bucket of BUCKETS) {
        expect(Math.abs(path.mark(bucket) / path.index(bucket) - 1)).toBeLessThan(0.001)
      }
    })

    test('moves by itself', () => {
      const marks = new Set(Array.from({ length: 60 }, (_, position) => path.mark(NOW + position)))
      expect(marks.size).toBeGreaterThan(5)
    })

    test('follows its seed and nothing else', () => {
      const again = createPricePath(market, 1, null)
      const other = createPricePath(market, 2, null)
      expect(BUCKETS.toReversed().map(again.mark).reverse()).toEqual(BUCKETS.map(path.mark))
      expect(BUCKETS.map(other.mark)).not.toEqual(BUCKETS.map(path.mark))
    })
  },
)
