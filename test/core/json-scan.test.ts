import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  assertedDepth,
  scalarEnd,
  skipSpace,
  stringAt,
  stringEnd,
  valueEnd,
} from '../../src/core/json-scan.ts'

describe('a scan', () => {
  test.each([
    ['"a"', 3],
    ['""x', 2],
    ['"\\""x', 4],
    ['"\\\\"x"', 4],
    ['"\\\\\\""x', 6],
    ['"]}"', 4],
  ])('finds the end of the string in %j', (text, end) => {
    expect(stringEnd(text, 0)).toBe(end)
  })

  test('reads a string with its escapes resolved', () => {
    expect(stringAt('["a\\u0062\\n"]', 1, 12)).toBe('ab\n')
    expect(stringAt('["ab"]', 1, 5)).toBe('ab')
  })

  test('ends a scalar at whatever may follow one', () => {
    for (const tail of ['', ',', '}', ']', ' ', '\n', '\r', '\t']) {
      expect(scalarEnd(`-1.5e+7${tail}x`.slice(0, 7 + tail.length), 0)).toBe(7)
    }
  })

  test('skips the four kinds of whitespace JSON has, no others', () => {
    expect(skipSpace(' \n\r\t1', 0)).toBe(4)
    expect(skipSpace('\u00a01', 0)).toBe(0)
  })

  test('finds the end of any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(valueEnd(`[${text} ,1]`, 1, 8)).toBe(1 + text.length)
      }),
    )
  })

  test('ends on any text within that text, JSON or not', () => {
    const scraps = fc.array(fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', '1'))
    fc.assert(
      fc.property(scraps, (characters) => {
        const text = characters.join('')
        for (const end of [valueEnd(text, 0, 1000), stringEnd(text, 0), scalarEnd(text, 0)]) {
          expect(end).toBeWithin(0, text.length + 2)
        }
      }),
    )
  })

  test('refuses what nests too deep', () => {
    expect(valueEnd('[{"a":[]}]', 0, 3)).toBe(10)
    expect(() => valueEnd('[{"a":[]}]', 0, 2)).toThrow(RangeError)
    expect(assertedDepth(2, 2)).toBe(2)
    expect(() => assertedDepth(3, 2)).toThrow(RangeError)
  })
})
