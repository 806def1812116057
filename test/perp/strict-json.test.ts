import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Decimal, parseStrict, type StrictValue } from '../../src/perp/strict-json.ts'
import { parseFields } from '../../src/simulator/messages/body.ts'
import { runs } from '../runs.ts'

/** The value with numbers as text. */
function plain(value: StrictValue): unknown {
  if (value instanceof Decimal) return value.text
  if (value instanceof Map) return Object.fromEntries([...value].map(([k, v]) => [k, plain(v)]))
  return Array.isArray(value) ? value.map(plain) : value
}

/** What the strict reader makes of a text; null where it refuses it. */
function strict(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return Object(plain(parseStrict(text)))
  } catch {
    return null
  }
}

/** What Python's parser makes of texts, numbers as their own text. */
function byPython(texts: readonly string[]): readonly unknown[] {
  const script = `import json, sys
text = lambda number: number
for line in json.loads(sys.stdin.read()):
    try: print(json.dumps(json.loads(line, parse_int=text, parse_float=text, parse_constant=text)))
    except Exception: print('null')`
  const { stdout } = Bun.spawnSync(['python3', '-c', script], {
    stdin: Buffer.from(JSON.stringify(texts)),
  })
  return stdout
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const PIECES = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    ' ',
    '\n',
    '"',
    '\\',
    '\\"',
    '\\u0061',
    'a',
    '_',
    'é',
    '\u2028',
  ],
  ...['"a":', '"b":', '"a"', '0', '1', '1.50', '-1', '1e3', '01', '.5', '1.', '123456789012345'],
  ...['true', 'false', 'null', 'NaN', '/*', '//', "'a'", '\u00a0', '\ufeff', '{"a":1}', '[1]'],
]

describe('a body that is read strictly', () => {
  test.each([
    ['{"a":1.50,"b":"x\\"y","c":[{"d":true}]}', { a: '1.50', b: 'x"y', c: [{ d: true }] }],
    [' {\n} ', {}],
    ['{"a":[]}', { a: [] }],
  ])('%s is what all parsers read', (text, value) => {
    expect(strict(text)).toEqual(value)
  })

  test.each([
    ['a member twice', '{"order_quantity":0.2,"order_quantity":0.1}'],
    ['a member twice, once escaped', '{"a":1,"\\u0061":2}'],
    ['an exponent', '{"a":1e3}'],
    ['a negative number', '{"a":-1}'],
    ['a long number', '{"a":0.1234567890123456}'],
    ['a leading zero', '{"a":01}'],
    ['null', '{"a":null}'],
    ['a comma at the end', '{"a":1,}'],
    ['something behind', '{"a":1}{}'],
    ['a comment', '{"a":1/**/}'],
    ['a byte order mark', '\ufeff{}'],
    ['letters of other alphabets', '{"а":1}'],
    ['a control character', '{"a":"\u0001"}'],
    ['no object', '[1]'],
    ['nothing', ''],
    ['too deep a nest', `{"a":${'['.repeat(9)}${']'.repeat(9)}}`],
    ['a prototype', '{"__proto__":{"a":1},"__proto__":{"a":2}}'],
  ])('with %s is refused', (_, text) => {
    expect(() => parseStrict(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })

  // Slow: a program of Python reads generated texts too.
  test('that passes is read alike by this reader, JavaScript, the venue and Python', () => {
    const texts: string[] = []
    const body = fc.array(fc.constantFrom(...PIECES), { maxLength: 9 }).map((all) => all.join(''))
    const whole = fc.oneof(
      body.map((inside) => `{"a":${inside}}`),
      body.map((b) => `{${b}}`),
      body,
    )
    fc.assert(
      fc.property(whole, (text) => {
        const value = strict(text)
        if (value === null) return
        texts.push(text)
        expect(parseFields(text)).toEqual(value)
        const exact = (_: string, each: unknown, { source }: { source?: string }) =>
          typeof each === 'number' ? source : each
        expect(JSON.parse(text, exact)).toEqual(value)
      }),
      { numRuns: runs(3000) },
    )
    expect(texts.length).toBeGreaterThan(20)
    expect(byPython(texts)).toEqual(texts.map(strict))
  })
})
