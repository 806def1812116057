import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  formatDecimal,
  isMultiple,
  mulDiv,
  parseDecimal,
  toNumber,
} from '../../src/core/decimals.ts'

const scales = fc.integer({ min: 0, max: 18 })
const values = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
const positives = fc.bigInt({ min: 1n, max: 10n ** 20n })

describe('parseDecimal', () => {
  test.each([
    ['1521.03', 8, 152_103_000_000n],
    ['2.11', 2, 211n],
    ['0', 8, 0n],
    ['-0', 8, 0n],
    ['-0.5', 1, -5n],
    ['1.50', 1, 15n],
    ['1.5000000000000000000000', 1, 15n],
    ['1e-8', 8, 1n],
    ['1E5', 0, 100_000n],
    ['1.5e+2', 0, 150n],
    ['1500e-2', 0, 15n],
    ['10e-1', 0, 1n],
    ['0e999999999', 8, 0n],
    ['0.00e-999999999', 8, 0n],
    ['9007199254740993', 0, 9_007_199_254_740_993n],
    ['0.1', 18, 100_000_000_000_000_000n],
  ])('%s at %d places is %p', (text, scale, value) => {
    expect(parseDecimal(text, scale)).toBe(value)
  })

  test.each([
    ['1.23', 1],
    ['1e-9', 8],
    ['1.5', 0],
    ['15e-1', 0],
    ['1e-999999999', 8],
    ['1e999999999', 8],
    ['1e129', 0],
    ['9'.repeat(129), 0],
    ['', 8],
    [' 1', 8],
    ['1 ', 8],
    ['1\n', 8],
    ['+1', 8],
    ['01', 8],
    ['.5', 8],
    ['5.', 8],
    ['1e', 8],
    ['1e1.5', 8],
    ['--1', 8],
    ['0x10', 8],
    ['1_000', 8],
    ['1,000', 8],
    ['NaN', 8],
    ['Infinity', 8],
    ['١', 8],
  ])('%j has no exact value at %d places', (text, scale) => {
    expect(parseDecimal(text, scale)).toBeNull()
  })

  test('an exponent only moves the point', () => {
    const exponents = fc.integer({ min: -12, max: 12 })
    fc.assert(
      fc.property(values, exponents, (value, exponent) => {
        const moved = `${formatDecimal(value, 20 + exponent)}e${exponent}`
        expect(parseDecimal(moved, 20)).toBe(value)
      }),
    )
  })

  test('every number JSON.stringify writes is read as it is written', () => {
    const numbers = fc.double({ min: 1e-80, max: 1e15, noNaN: true })
    fc.assert(
      fc.property(numbers, fc.constantFrom(1, -1), (magnitude, sign) => {
        const number = sign * magnitude
        const value = parseDecimal(JSON.stringify(number), 120)
        expect(value === null ? null : toNumber(value, 120)).toBe(number)
      }),
    )
  })
})

describe('formatDecimal', () => {
  test.each([
    [152_103_000_000n, 8, '1521.03'],
    [-5n, 1, '-0.5'],
    [0n, 8, '0'],
    [1n, 8, '0.00000001'],
    [100n, 0, '100'],
    [100n, 2, '1'],
  ])('%p at %d places is %s', (value, scale, text) => {
    expect(formatDecimal(value, scale)).toBe(text)
  })

  test('is read back, and no shorter text is', () => {
    fc.assert(
      fc.property(values, scales, (value, scale) => {
        const text = formatDecimal(value, scale)
        expect(parseDecimal(text, scale)).toBe(value)
        expect(text).not.toMatch(/\.\d*0$|\.$|e|^-0$/)
      }),
    )
  })
})

describe('isMultiple', () => {
  test('accepts the grid and nothing beside it', () => {
    fc.assert(
      fc.property(fc.bigInt(), positives, positives, (count, step, beside) => {
        expect(isMultiple(count * step, step)).toBe(true)
        expect(isMultiple(count * step + beside, step)).toBe(beside % step === 0n)
      }),
    )
  })

  test('has negative multiples too', () => {
    expect(isMultiple(30n, 10n)).toBe(true)
    expect(isMultiple(-30n, 10n)).toBe(true)
    expect(isMultiple(31n, 10n)).toBe(false)
  })
})

describe('mulDiv', () => {
  test.each([
    [7n, 1n, 2n, { floor: 3n, ceil: 4n, half: 4n }],
    [-7n, 1n, 2n, { floor: -4n, ceil: -3n, half: -4n }],
    [7n, 1n, -2n, { floor: -4n, ceil: -3n, half: -4n }],
    [-7n, 1n, -2n, { floor: 3n, ceil: 4n, half: 4n }],
    [10n, 1n, 3n, { floor: 3n, ceil: 4n, half: 3n }],
    [11n, 1n, 3n, { floor: 3n, ceil: 4n, half: 4n }],
    [-1n, 1n, 3n, { floor: -1n, ceil: 0n, half: 0n }],
    [6n, 2n, 3n, { floor: 4n, ceil: 4n, half: 4n }],
    [0n, 5n, 3n, { floor: 0n, ceil: 0n, half: 0n }],
  ])('%p × %p ÷ %p', (a, b, denominator, expected) => {
    expect(mulDiv(a, b, denominator, 'floor')).toBe(expected.floor)
    expect(mulDiv(a, b, denominator, 'ceil')).toBe(expected.ceil)
    expect(mulDiv(a, b, denominator, 'half')).toBe(expected.half)
  })

  test('brackets the exact quotient, and half is never further off than either', () => {
    fc.assert(
      fc.property(values, values, positives, (a, b, denominator) => {
        const floor = mulDiv(a, b, denominator, 'floor')
        const ceil = mulDiv(a, b, denominator, 'ceil')
        const half = mulDiv(a, b, denominator, 'half')
        expect(floor * denominator <= a * b && a * b < (floor + 1n) * denominator).toBe(true)
        expect(ceil - floor).toBe(isMultiple(a * b, denominator) ? 0n : 1n)
        const off = 2n * (half * denominator - a * b)
        expect(off <= denominator && -off <= denominator).toBe(true)
        expect(mulDiv(-a, b, denominator, 'half')).toBe(-half)
      }),
    )
  })

  test('nothing is divided by zero', () => {
    for (const rounding of ['floor', 'ceil', 'half'] as const) {
      expect(() => mulDiv(1n, 1n, 0n, rounding)).toThrow(RangeError)
    }
  })
})

describe('toNumber', () => {
  test('is the float nearest to the exact value', () => {
    expect(toNumber(30_000_000n, 8)).toBe(0.3)
    expect(toNumber(-152_103_000_000n, 8)).toBe(-1521.03)
    expect(toNumber(9_007_199_254_740_993n, 0)).toBe(9_007_199_254_740_992)
  })
})
