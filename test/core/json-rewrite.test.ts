import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type JsonRules, rewriteJson } from '../../src/core/json-rewrite.ts'

const NONE: JsonRules = {
  removedValues: new Map(),
  keyOf: (key) => key,
  blanks: () => false,
  drops: () => false,
  depthMax: 4,
}

const WITHOUT_X: JsonRules = { ...NONE, keyOf: (key) => (key === 'x' ? null : key) }
const WITHOUT_ROWS_X: JsonRules = {
  ...WITHOUT_X,
  drops: (key, value) => key === 'row' && value === 'x',
  blanks: (value, owner) => value === 'b' && owner !== 'keep',
}

describe('rewriteJson', () => {
  test.each([
    ['{"x":1}', '{}'],
    ['{ "x" : 1 }', '{ }'],
    ['{"x":1,"a":2}', '{"a":2}'],
    ['{"a":2,"x":1}', '{"a":2}'],
    ['{"a":2 , "x":1 , "b":3}', '{"a":2 , "b":3}'],
    ['{"x":1,"x":2,"a":3,"x":4,"x":5}', '{"a":3}'],
    ['{"x":1, "x":[{"x":2}] }', '{}'],
    ['{"a":{"x":1},"b":[{"x":1},{"x":1,"c":2}]}', '{"a":{},"b":[{},{"c":2}]}'],
    ['{"\\u0078":1,"a":"\\u0078"}', '{"a":"\\u0078"}'],
  ])('cuts members out of %s', (given, expected) => {
    expect(rewriteJson(given, WITHOUT_X)).toBe(expected)
  })

  test.each([
    ['[{"row":"x"}]', '[]'],
    ['[1,{"row":"x"},2]', '[1,2]'],
    ['[{"row":"x"},{"row":"y"},{"row":"x"}]', '[{"row":"y"}]'],
    ['[{"a":"b","x":1,"row":"x"},"b"]', '[""]'],
    ['[{"a":{"row":"x"}}]', '[{"a":{"row":"x"}}]'],
    ['[{"a":[{"row":"x"}]},[{"row":"x"},3]]', '[{"a":[]},[3]]'],
    ['{"a":{"row":"x"},"b":1}', '{"a":{"row":"x"},"b":1}'],
    ['{"row":"x"}', '{"row":"x"}'],
    ['[{"row":["x"]}]', '[{"row":["x"]}]'],
    ['{"keep":["b",["b"],{"a":"b"}],"a":["b"]}', '{"keep":["b",["b"],{"a":""}],"a":[""]}'],
  ])('drops rows and blanks strings in %s', (given, expected) => {
    expect(rewriteJson(given, WITHOUT_ROWS_X)).toBe(expected)
  })

  test('cuts members that have the value with which their key goes', () => {
    const rules = { ...NONE, removedValues: new Map([['x', 'none']]) }
    const given = '{"x":"none","a":[{"x" : "n\\u006fne" , "b":1},{"x":"None"}],"c":{"x":["none"]}}'
    const expected = '{"a":[{"b":1},{"x":"None"}],"c":{"x":["none"]}}'
    expect(rewriteJson(given, rules)).toBe(expected)
  })

  test('renames keys, quoting what needs it', () => {
    const quoted = { ...NONE, keyOf: (key: string) => (key === 'a' ? '"\n' : key) }
    expect(rewriteJson('{"a" :{"a":1},"b":"a"}', quoted)).toBe('{"\\"\\n" :{"\\"\\n":1},"b":"a"}')
  })

  test('gives the same text when no rule applies', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.constantFrom('', ' ', '\n'), (json, space) => {
        const text = space + json + space
        expect(rewriteJson(text, { ...NONE, depthMax: 8 })).toBe(text)
      }),
    )
  })

  test('throws RangeError beyond its depth, also inside what it cuts out', () => {
    expect(rewriteJson('[[[[1]]]]', NONE)).toBe('[[[[1]]]]')
    expect(() => rewriteJson('[[[[[1]]]]]', NONE)).toThrow(RangeError)
    expect(rewriteJson('{"x":[[[1]]]}', WITHOUT_X)).toBe('{}')
    expect(() => rewriteJson('{"x":[[[[1]]]]}', WITHOUT_X)).toThrow(RangeError)
    expect(rewriteJson('[[[[]],[[]]],[[[]]]]', NONE)).toBe('[[[[]],[[]]],[[[]]]]')
  })
})
