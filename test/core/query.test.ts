import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../src/core/failure.ts'
import {
  clampedCount,
  lenientCount,
  lenientValue,
  optionalValue,
  parseQuery,
  requiredValue,
} from '../../src/core/query.ts'

function failureOf(run: () => unknown): object | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, ...error.meta }
    throw error
  }
}

const invalidA = (reason: string) => ({ code: 'invalid_request', parameter: 'a', reason })

describe('a value is read', () => {
  test.each([
    ['?a=b', 'b'],
    ['a=b', 'b'],
    ['?x=1&a=b&y=2', 'b'],
    ['?a=b=c', 'b=c'],
    ['?a=b+c', 'b c'],
    ['?a=b%2Bc', 'b+c'],
    ['?a=%C3%A9%F0%9F%98%80', 'é😀'],
    ['?a=é', 'é'],
    ['?a=%00', '\0'],
    ['?%61=b', 'b'],
    ['?&&a=b&', 'b'],
    ['?a=b&A=c', 'b'],
    ['?a=%2541', '%41'],
    ['?__proto__=1&a=b', 'b'],
  ])('%s', (search, value) => {
    expect(optionalValue(parseQuery(search), 'a')).toBe(value)
    expect(requiredValue(parseQuery(search), 'a')).toBe(value)
    expect(lenientValue(parseQuery(search), 'a')).toBe(value)
  })
})

describe('a value that is not there is missing', () => {
  test.each(['', '?', '?b=1', '?a', '?a=', '?=a', '?A=b', '?a%00=b', '?%zza=b'])('%s', (search) => {
    const query = parseQuery(search)
    expect(optionalValue(query, 'a')).toBeUndefined()
    expect(lenientValue(query, 'a')).toBeUndefined()
    expect(failureOf(() => requiredValue(query, 'a'))).toEqual(invalidA('missing'))
  })

  test.each(['constructor', 'toString', '__proto__', 'size', 'get'])(
    'inherited name %s',
    (name) => {
      expect(optionalValue(parseQuery('?a=b'), name)).toBeUndefined()
    },
  )
})

describe('a value that cannot be read names its parameter, and is a default where defaults are the rule', () => {
  test.each([
    ['repeated', '?a=1&a=2', 'repeated'],
    ['repeated with the same value', '?a=1&a=1', 'repeated'],
    ['repeated and empty', '?a=&a=1', 'repeated'],
    ['repeated in another spelling', '?a=1&%61=2', 'repeated'],
    ['half an escape', '?a=%', 'malformed'],
    ['a short escape', '?a=%2', 'malformed'],
    ['no escape', '?a=%zz', 'malformed'],
    ['a byte that starts nothing', '?a=%ff', 'malformed'],
    ['an overlong encoding', '?a=%c0%af', 'malformed'],
    ['an encoded surrogate', '?a=%ed%a0%80', 'malformed'],
    ['a cut sequence', '?a=%c3', 'malformed'],
    ['a lone surrogate', '?a=\ud800', 'malformed'],
    ['too long', `?a=${'x'.repeat(513)}`, 'too_long'],
  ])('%s', (_, search, reason) => {
    const query = parseQuery(search)
    expect(failureOf(() => optionalValue(query, 'a'))).toEqual(invalidA(reason))
    expect(failureOf(() => requiredValue(query, 'a'))).toEqual(invalidA(reason))
    expect(lenientValue(query, 'a')).toBeUndefined()
  })

  test('but a malformed value nobody asks for is dropped', () => {
    expect(optionalValue(parseQuery('?b=%zz&b=1&a=2'), 'a')).toBe('2')
  })
})

describe('limits', () => {
  test('a value of the longest length is read', () => {
    const value = 'x'.repeat(512)
    expect(optionalValue(parseQuery(`?a=${value}`), 'a')).toBe(value)
  })

  test('a search string over the limit is refused whole, one at the limit is not', () => {
    const filler = (length: number) => `?a=1&${'b=&'.repeat(length)}`.slice(0, length)
    expect(optionalValue(parseQuery(filler(8192)), 'a')).toBe('1')
    expect(failureOf(() => parseQuery(filler(8193)))).toEqual({
      code: 'invalid_request',
      parameter: 'query',
      reason: 'too_long',
    })
  })
})

describe('a count is clamped', () => {
  const clamp = { min: 1, max: 500, fallback: 100 }
  const countOf = (text: string | undefined) => {
    const query = new Map(text === undefined ? [] : [['a', [text]]])
    expect(lenientCount(query, 'a', clamp)).toBe(clampedCount(query, 'a', clamp))
    return clampedCount(query, 'a', clamp)
  }
  test.each([
    ['7', 7],
    ['1', 1],
    ['500', 500],
    ['501', 500],
    ['0', 1],
    ['-3', 1],
    ['-0', 1],
    ['0.5', 1],
    ['7.9', 7],
    ['007', 7],
    ['9'.repeat(600), 500],
    [`-${'9'.repeat(600)}`, 1],
    ['1e2', 100],
    ['2.5E+1', 25],
    ['1e3', 500],
    ['1e999', 500],
    ['7e-1', 1],
    ['1e-999', 1],
  ])('%s', (text, rows) => {
    expect(countOf(text)).toBe(rows)
    expect(clampedCount(parseQuery(`?a=${encodeURIComponent(text)}`), 'a', clamp)).toBe(rows)
  })

  test.each([
    ['?a=1&a=2', 'repeated'],
    ['?a=%zz', 'malformed'],
  ])('but %s cannot be read, and is a default where defaults are the rule', (search, reason) => {
    const query = parseQuery(search)
    expect(failureOf(() => clampedCount(query, 'a', clamp))).toEqual(invalidA(reason))
    expect(lenientCount(query, 'a', clamp)).toBe(100)
  })

  test.each([
    undefined,
    '',
    ' ',
    ' 5',
    '5 ',
    '+5',
    '5.',
    '.5',
    '1e',
    'e3',
    '1e2.5',
    '0x10',
    '0b1',
    '1_000',
    '1,000',
    'Infinity',
    '-Infinity',
    'NaN',
    'null',
    'ten',
    '5\n',
    '--5',
    '1.2.3',
    '٣',
    '５',
  ])('%j is no number and falls back', (text) => {
    expect(countOf(text)).toBe(100)
  })

  test('is a whole number within its bounds whatever the text is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String)),
        (text) => {
          const rows = countOf(text)
          expect(Number.isInteger(rows) && rows >= 1 && rows <= 500).toBeTrue()
        },
      ),
    )
  })
})

test('a query written by the platform is read back as it was meant', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.dictionary(text, text, { maxKeys: 8 }), (record) => {
      const query = parseQuery(`?${new URLSearchParams(record)}`)
      expect(query.size).toBe(Object.keys(record).length)
      for (const [name, value] of Object.entries(record))
        expect(optionalValue(query, name)).toBe(value)
    }),
  )
})

test('no search string does anything but parse or fail as invalid_request', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (search) => {
      const failure = failureOf(() => optionalValue(parseQuery(`?a=${search}`), 'a'))
      if (failure) expect(failure).toEqual(invalidA)
    }),
  )
})
