import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isObject } from '../../../src/core/json.ts'
import type { UpstreamResponse } from '../../../src/core/ports.ts'
import { plainRows } from '../../../src/gateway/market/rows.ts'
import { rowShape } from '../../../src/gateway/scrub/decimal-rows.ts'
import { runs } from '../../runs.ts'

const ROW = rowShape([['a', 'decimal']])

function response(body: string, status = 200): UpstreamResponse {
  return { status, contentType: 'application/json', body }
}

/** What is found of lists called `x` and `y`: the texts of their rows, and the payload without them. */
function found(body: string, status = 200) {
  const plain = plainRows(response(body, status), ['x', 'y'], ROW)
  if (!plain) return null
  const lists = plain.lists.map(({ text, ends }) =>
    ends.map((end, at) => text.slice((ends[at - 1] ?? -1) + 1, end)),
  )
  return { payload: plain.payload, lists }
}

describe('rows that need no parsing', () => {
  test('are found as they stand in the text', () => {
    const body =
      '{"success":true,"data":{"x":[{"a":"1"},{"a":"02"}],"y":[],"z":[{"a":1.50}]},"timestamp":1}'
    const { payload, lists } = found(body) ?? {}
    const texts = plainRows(response(body), ['x', 'y'], ROW)?.lists.map(({ text }) => text)
    expect(texts).toEqual(['{"a":"1"},{"a":"02"}', ''])
    expect(lists).toEqual([['{"a":"1"}', '{"a":"02"}'], []])
    expect(JSON.stringify(payload)).toBe('{"x":[],"y":[],"z":[{"a":1.50}]}')
  })

  test.each([
    ['a row that is another', '{"success":true,"data":{"x":[{"a":"1"},{"a":1}],"y":[]}}'],
    ['a space between rows', '{"success":true,"data":{"x":[{"a":"1"}, {"a":"1"}],"y":[]}}'],
    ['a list without an end', '{"success":true,"data":{"x":[{"a":"1"}'],
    ['a list that lacks a comma', '{"success":true,"data":{"x":[{"a":"1"}{"a":"1"}],"y":[]}}'],
    ['a comma at the end', '{"success":true,"data":{"x":[{"a":"1"},],"y":[]}}'],
    ['text that is no JSON around them', '{"success":true,"data":{"x":[{"a":"1"}],"y":[]}'],
    ['a list that is not there', '{"success":true,"data":{"x":[{"a":"1"}]}}'],
    ['lists in another order', '{"success":true,"data":{"y":[],"x":[{"a":"1"}]}}'],
    ['a list of somebody else', '{"success":true,"x":[{"a":"1"}],"data":{"y":[]}}'],
    ['a list that is not the last', '{"success":true,"data":{"x":[{"a":"1"}],"y":[],"x":[]}}'],
    ['a name that is escaped', '{"success":true,"data":{"x":[{"a":"1"}],"y":[],"\\u0078":[]}}'],
    ['a list in a text', '{"success":true,"data":{"x":[],"y":[],"z":"\\"x\\":[{}]"}}'],
    ['a prototype', '{"success":true,"data":{"__proto__":{"x":[{"a":"1"}],"y":[]}}}'],
    ['a refusal', '{"success":false,"data":{"x":[{"a":"1"}],"y":[]}}'],
    ['an answer without data', '{"success":true,"x":[{"a":"1"}],"y":[]}'],
    ['nothing', ''],
  ])('are not seen in %s', (_, body) => {
    expect(found(body)).toBeNull()
  })

  test('are not seen in what was not a success', () => {
    const body = '{"success":true,"data":{"x":[{"a":"1"}],"y":[]}}'
    expect(found(body, 200)).not.toBeNull()
    for (const status of [302, 404, 429, 500]) expect(found(body, status)).toBeNull()
  })

  // Slow: many generated texts are read in two ways.
  test('are what a parse finds, whatever the text', () => {
    const row = fc.oneof(
      { weight: 9, arbitrary: fc.nat().map((n) => `{"a":"${n}"}`) },
      fc.constantFrom('{}', '{"a":1}', '[]', '"x"', '{"a":"1","a":"2"}', '{"a":"1","x":[]}'),
    )
    const list = fc.array(row, { maxLength: 4 }).map((rows) => `[${rows}]`)
    const name = fc.constantFrom('x', 'y', 'data', '__proto__', '\\u0078', 'z')
    const member = fc
      .tuple(name, fc.oneof(list, fc.json(), fc.constant('"x"')))
      .map(([key, value]) => `"${key}":${value}`)
    const data = fc
      .tuple(fc.array(member, { maxLength: 2 }), list, list, fc.array(member, { maxLength: 2 }))
      .map(([before, x, y, after]) => `{${[...before, `"x":${x}`, `"y":${y}`, ...after]}}`)
    const body = fc
      .tuple(fc.array(member, { maxLength: 1 }), data, fc.array(member, { maxLength: 1 }))
      .map(
        ([before, payload, after]) =>
          `{${['"success":true', ...before, `"data":${payload}`, ...after]}}`,
      )
    let seen = 0
    fc.assert(
      fc.property(body, (text) => {
        const plain = found(text)
        if (!plain) return
        seen += 1
        const { data: whole } = Object(JSON.parse(text))
        expect(isObject(whole)).toBe(true)
        const { lists, payload } = plain
        expect(lists.map((rows) => JSON.parse(`[${rows}]`))).toEqual([whole.x, whole.y])
        expect(JSON.stringify({ ...payload, x: whole.x, y: whole.y })).toBe(JSON.stringify(whole))
      }),
      { numRuns: runs(2000) },
    )
    expect(seen).toBeGreaterThan(40)
  })
})
