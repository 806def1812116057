import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { largestValueBelow } from '../../src/core/bisection.ts'

describe('mostBelow', () => {
  test('is the largest value below a bound that fits, and zero where none does', () => {
    const value = fc.bigInt({ min: 1n, max: 10n ** 24n })
    fc.assert(
      fc.property(value, value, (tooMuch, limit) => {
        const found = largestValueBelow(tooMuch, (tried) => tried < limit)
        expect(found < tooMuch && found < limit).toBe(true)
        expect([tooMuch, limit]).toContain(found + 1n)
      }),
    )
    expect(largestValueBelow(5n, () => false)).toBe(0n)
    expect(largestValueBelow(0n, () => true)).toBe(0n)
  })
})
