import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  addPrice,
  createPriceSet,
  priceAbove,
  priceBelow,
  removePrice,
} from '../../../src/simulator/base/price-set.ts'

const prices = fc.integer({ min: 0, max: 3_000_000 })

test('the nearest price above and below any price is the one that a sorted list has', () => {
  fc.assert(
    fc.property(fc.array(prices, { maxLength: 60 }), fc.array(prices), (added, asked) => {
      const set = createPriceSet()
      for (const price of added) addPrice(set, price)
      const removed = added.filter((_, at) => at % 3 === 0)
      for (const price of removed) removePrice(set, price)
      const kept = added.filter((price) => !removed.includes(price)).sort((a, b) => a - b)
      for (const price of [...asked, ...added]) {
        expect(priceAbove(set, price)).toBe(kept.find((other) => other >= price) ?? -1)
        expect(priceBelow(set, price)).toBe(kept.findLast((other) => other <= price) ?? -1)
      }
    }),
  )
})

test('a price beyond every market is refused, and the set stays as it was', () => {
  const set = createPriceSet()
  addPrice(set, 5)
  expect(() => addPrice(set, 32 ** 5)).toThrow(RangeError)
  expect(() => addPrice(set, Number.NaN)).toThrow(RangeError)
  expect(priceAbove(set, 0)).toBe(5)
})
