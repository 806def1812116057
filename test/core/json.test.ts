// Slow: texts of megabytes are parsed number by number.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isObject, members, parseExact, SpelledNumber, toFloat } from '../../src/core/json.ts'
import { runs } from '../runs.ts'

const DEPTH_MAX = 64

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

function textsOf(text: string): Record<string, string> | null {
  const spans = members(text, DEPTH_MAX)
  if (!spans) return null
  return Object.fromEntries(
    [...spans].map(([key, { start, end }]) => [key, text.slice(start, end)]),
  )
}

describe('members', () => {
  test.each([
    ['{}', {}],
    [' { } ', {}],
    ['{"a":1}', { a: '1' }],
    [
      '\n{ "a" : 1.50 , "b":"x,}\\"" ,"c":\t[1, {"a":2} ] }\r\n',
      {
        a: '1.50',
        b: '"x,}\\""',
        c: '[1, {"a":2} ]',
      },
    ],
    ['{"a":true,"b":null,"c":-0}', { a: 'true', b: 'null', c: '-0' }],
    ['{"\\u0061\\n":"\\\\"}', { 'a\n': '"\\\\"' }],
    ['{"a":1,"b":2,"\\u0061":3}', { a: '3', b: '2' }],
    ['{"":{"a":[[]]}}', { '': '{"a":[[]]}' }],
  ])('of %j are its own values', (text, expected) => {
    expect(textsOf(text)).toEqual(expected)
  })

  test('are looked up by key, also one that objects inherit', () => {
    expect(
      [...(members('{"__proto__":1,"toString":2}', DEPTH_MAX) ?? [])].map(([key]) => key),
    ).toEqual(['__proto__', 'toString'])
    expect(members('{}', DEPTH_MAX)?.has('toString')).toBe(false)
  })

  test.each(['[]', '[{"a":1}]', '"{"', '1', 'null', ' true '])('of %p are null', (text) => {
    expect(members(text, DEPTH_MAX)).toBeNull()
  })

  test.each(['', '{', '{"a"}', '{"a":1,}', '{"a":1}}', '{a:1}', "{'a':1}", '{"a":01}', '"\u0000"'])(
    'of %j throw SyntaxError',
    (text) => {
      expect(() => members(text, DEPTH_MAX)).toThrow(SyntaxError)
    },
  )

  test('throw RangeError beyond the depth limit, in an object or not', () => {
    expect(members(`{"a":${nested(DEPTH_MAX - 1)}}`, DEPTH_MAX)?.size).toBe(1)
    expect(members(nested(DEPTH_MAX), DEPTH_MAX)).toBeNull()
    expect(() => members(`{"a":${nested(DEPTH_MAX)}}`, DEPTH_MAX)).toThrow(RangeError)
    expect(() => members(nested(DEPTH_MAX + 1), DEPTH_MAX)).toThrow(RangeError)
    expect(() => members(nested(200_000), DEPTH_MAX)).toThrow(RangeError)
  })

  test('of any object cut out texts that parse to its values', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
        fc.nat(2),
        (object, indent) => {
          const parsed = new Map(
            Object.entries(textsOf(JSON.stringify(object, null, indent)) ?? {}).map(
              ([key, text]) => [key, JSON.parse(text)],
            ),
          )
          expect(parsed).toEqual(new Map(Object.entries(JSON.parse(JSON.stringify(object)))))
        },
      ),
    )
  })
})

/** Parses with a look at the text of every number. */
function everyNumber(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value)
      ? new SpelledNumber(source)
      : value,
  )
}

describe('parseExact', () => {
  test.each([
    '1.50',
    '1E5',
    '5.802e-05',
    '98765432109876543210',
    '-0',
    '-0.0',
    '1e999',
    '9007199254740993',
  ])('keeps %s as it is written', (text) => {
    const parsed = parseExact(text, DEPTH_MAX)
    expect(parsed).toBeInstanceOf(SpelledNumber)
    expect([JSON.stringify(parsed), `${parsed}`]).toEqual([text, text])
    expect(Number(parsed)).toBe(Number(text))
  })

  test.each(['0', '-1.5', '1e-7', '1e+21', '1777500000123'])('leaves %s a plain number', (text) => {
    expect(parseExact(text, DEPTH_MAX)).toBe(Number(text))
  })

  test('prints any text of numbers again byte for byte', () => {
    const digits = fc.stringMatching(
      /^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,3})?$/,
    )
    fc.assert(
      fc.property(fc.array(digits), (numbers) => {
        const text = `{"a":[${numbers.join(',')}],"b":{"c":"1.50"}}`
        expect(JSON.stringify(parseExact(text, DEPTH_MAX))).toBe(text)
      }),
    )
  })

  test('keeps __proto__ a key and parents untouched', () => {
    const parsed = parseExact('{"__proto__":{"polluted":1.50}}', DEPTH_MAX)
    expect(JSON.stringify(parsed)).toBe('{"__proto__":{"polluted":1.50}}')
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
  })

  test('answers as a parse that looks at every number does, whatever stands around it', () => {
    const space = fc.constantFrom('', '', ' ', '\n', '\t ', '\r\n')
    const digits = fc.stringMatching(
      /^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?$/,
    )
    const round = fc.stringMatching(/^-?(0|[1-9][0-9]{0,16})\.0{0,9}[0-9]{1,9}$/)
    const long = fc.stringMatching(/^-?9[0-9]{12,18}$/)
    const float = fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => `${value}`)
    const word = fc.oneof(
      fc.string({ unit: 'binary' }),
      digits,
      digits.map((text) => `a:${text},[`),
    )
    const string = fc.oneof(
      word.map((text) => JSON.stringify(text)),
      fc.constantFrom('"\\u0031.50"', '":1.50,"', '"\\",-0,"', '"\\\\"', '" 1e5 "', '"__proto__"'),
    )
    const scalar = fc.oneof(
      digits,
      round,
      long,
      float,
      string,
      fc.constantFrom('true', 'null', '-0'),
    )
    const { value } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, scalar, tie('array'), tie('object')),
      array: fc
        .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 4 }))
        .map(([inner, items]) => `[${items.map((item) => item.join('')).join() || inner}]`),
      object: fc
        .array(fc.tuple(space, string, space, fc.constant(':'), space, tie('value'), space), {
          maxLength: 4,
        })
        .map((items) => `{${items.map((item) => item.join('')).join()}}`),
    }))
    fc.assert(
      fc.property(space, value, space, (before, middle, after) => {
        const text = before + middle + after
        const parsed = parseExact(text, DEPTH_MAX)
        const slow = everyNumber(text)
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(slow))
        expect(Bun.deepEquals(parsed, slow, true)).toBe(true)
      }),
      { numRuns: runs(2_000) },
    )
  })

  test('throws SyntaxError for what is not JSON and RangeError for what is too deep', () => {
    for (const text of ['', '{', '"', '[1,]', '01', '"\\', '[[[[']) {
      expect(() => parseExact(text, DEPTH_MAX)).toThrow(SyntaxError)
    }
    expect(parseExact(nested(DEPTH_MAX), DEPTH_MAX)).toBeArray()
    expect(() => parseExact(nested(DEPTH_MAX + 1), DEPTH_MAX)).toThrow(RangeError)
    expect(() => parseExact(nested(200_000), DEPTH_MAX)).toThrow(RangeError)
  })
})

describe('depth', () => {
  test('counts nesting, not brackets in strings or side by side', () => {
    const wide = `[${'[{}],'.repeat(1000)}"${'['.repeat(1000)}\\"[{"]`
    expect(() => parseExact(wide, 3)).not.toThrow()
    expect(() => parseExact(wide, 2)).toThrow(RangeError)
    expect(() => parseExact(` ${nested(4)}`, 3)).toThrow(RangeError)
  })
})

describe('numberOf', () => {
  test('knows the numbers of parseExact and nothing else', () => {
    const spelled = ['1.50', '-0'].map((text) => toFloat(parseExact(text, DEPTH_MAX)))
    expect([toFloat(1.5), ...spelled]).toEqual([1.5, 1.5, -0])
    for (const value of ['1.5', null, undefined, true, [1], { rawJSON: '1' }, NaN, Infinity]) {
      expect(toFloat(value)).toBeUndefined()
    }
  })

  test('does not know a number beyond floats', () => {
    expect(toFloat(parseExact('1e999', DEPTH_MAX))).toBeUndefined()
  })
})

test('an object is neither null nor an array', () => {
  expect([{}, { a: 1 }].every(isObject)).toBe(true)
  expect([null, [], [{}], '{}', 1, undefined].some(isObject)).toBe(false)
})
