import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { mulDiv as exact } from '../../../src/core/decimals.ts'
import { AMOUNT_MAX, safeMulDiv } from '../../../src/simulator/base/units.ts'
import { runs } from '../../runs.ts'

const amounts = fc.integer({ min: -AMOUNT_MAX, max: AMOUNT_MAX })

test('a product beyond 2^53 is divided as exactly as whole numbers of any size are', () => {
  fc.assert(
    fc.property(amounts, amounts, fc.integer({ min: 1, max: AMOUNT_MAX }), (a, b, divisor) => {
      for (const rounding of ['floor', 'ceil'] as const) {
        const value = exact(BigInt(a), BigInt(b), BigInt(divisor), rounding)
        if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) continue
        expect(BigInt(safeMulDiv(a, b, divisor, rounding))).toBe(value)
      }
    }),
    { numRuns: runs(20_000) },
  )
})

test('a half goes up, on both sides of zero', () => {
  expect([
    safeMulDiv(5, 1, 2, 'half'),
    safeMulDiv(-5, 1, 2, 'half'),
    safeMulDiv(7, 1, 4, 'half'),
  ]).toEqual([3, -2, 2])
})

test('a quotient beyond 2^53 stands at the largest safe integer, and a divisor of zero is refused', () => {
  expect(safeMulDiv(AMOUNT_MAX, AMOUNT_MAX, 1, 'floor')).toBe(Number.MAX_SAFE_INTEGER)
  expect(() => safeMulDiv(1, 1, 0, 'floor')).toThrow(RangeError)
})
