import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ONE } from '../../src/core/decimals.ts'
import { depthPoints } from '../../src/pages/trade/chart/depth-curve.ts'
import { priceFormatter, TIME_FORMATS } from '../../src/pages/trade/chart/ticks.ts'

const { timeFormatter } = TIME_FORMATS.localization
const { tickMarkFormatter } = TIME_FORMATS.timeScale

function secondsOf(month: number, day = 1, hour = 0, minute = 0) {
  return (Date.UTC(2026, month, day, hour, minute) / 1000) as Parameters<typeof timeFormatter>[0]
}

test.each([
  [0, '2026'],
  [1, 'Nov'],
  [2, '1'],
  [3, '04:07'],
  [4, '04:07'],
] as const)('below the candles stands what has begun there: %p is %s', (kind, text) => {
  expect(tickMarkFormatter(secondsOf(10, 1, 4, 7), kind)).toBe(text)
})

test('the moment under the pointer is told to the minute', () => {
  expect(timeFormatter(secondsOf(10, 1, 4, 7))).toBe('1 Nov 2026 04:07')
})

test('months are called as a browser calls them', () => {
  const months = Array.from({ length: 12 }, (_, month) => month)
  const format = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' })
  expect(months.map((month) => tickMarkFormatter(secondsOf(month), 1))).toEqual(
    months.map((month) => format.format(Date.UTC(2026, month))),
  )
})

test('a price on an axis has its thousands apart, and the places of its market', () => {
  expect([61_735.3, 2390.874, 0.5].map(priceFormatter(2))).toEqual([
    '61,735.30',
    '2,390.87',
    '0.50',
  ])
  expect(priceFormatter(0)(1_234_567)).toBe('1,234,567')
})

/** A book with a level a tick from its middle on either side, and so many more. */
function bookOf(middle: bigint, tick: bigint, levels: number) {
  const side = (sign: bigint) =>
    Array.from({ length: levels }, (_, at) => ({
      price: middle + sign * tick * BigInt(at + 1),
      quantity: BigInt(at + 1) * ONE,
    }))
  return { asks: side(1n), bids: side(-1n) }
}

test('a depth curve has round prices at even steps, and at each the sum of what is offered up to it', () => {
  const books = fc.record({
    middle: fc.bigInt(10n * ONE, 100_000n * ONE),
    tick: fc.bigInt(ONE / 100_000n, ONE / 100n),
    levels: fc.integer({ min: 50, max: 120 }),
  })
  fc.assert(
    fc.property(books, ({ middle, tick, levels }) => {
      const book = bookOf(middle, tick, levels)
      const points = depthPoints(book)
      const units = points.map(({ price }) => BigInt(Math.round(price * 1e8)) * 10n ** 10n)
      const step = (units[1] ?? 0n) - (units[0] ?? 0n)
      expect(String(step)).toMatch(/^[125]0*$/)
      for (const [at, { bids, asks }] of points.entries()) {
        const price = (units[0] ?? 0n) + step * BigInt(at)
        expect([units[at], price % step]).toEqual([price, 0n])
        if (asks !== undefined && asks > 0)
          expect(asks).toBe(sumOf(book.asks.filter((level) => level.price <= price)))
        if (bids !== undefined && bids > 0)
          expect(bids).toBe(sumOf(book.bids.filter((level) => level.price >= price)))
      }
      expect(points.length).toBeGreaterThan(80)
      expect(points.length).toBeLessThanOrEqual(201)
    }),
    { numRuns: 30 },
  )
})

test('a book that is empty, or too narrow for steps, has no depth curve', () => {
  expect(depthPoints({ asks: [], bids: [] })).toEqual([])
  expect(depthPoints(bookOf(ONE, 1n, 3))).toEqual([])
})

function sumOf(levels: readonly { readonly quantity: bigint }[]): number {
  return Number(levels.reduce((sum, { quantity }) => sum + quantity, 0n) / ONE)
}
