import { expect, test } from 'bun:test'
import { notionalOf } from '../../../src/venue/base/decimals.ts'

test.each([
  { price: 4_999_999_999n, worth: 0n },
  { price: 5_000_000_000n, worth: 1n },
  { price: 14_999_999_999n, worth: 1n },
  { price: 15_000_000_000n, worth: 2n },
])('both sides of a trade at $price are worth the same', ({ price, worth }) => {
  expect(notionalOf(price, 1n)).toBe(worth)
  expect(notionalOf(price, -1n)).toBe(-worth)
})
