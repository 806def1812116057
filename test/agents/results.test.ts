import { describe, expect, test } from 'bun:test'
import { listAnswer, toToolResult, trimmedPayload } from '../../src/agents/results.ts'
import { ToolFailure } from '../../src/agents/tool.ts'

/** The first row, the quotes of the second, and a comma after each. */
const BYTES_BESIDE = '"first","",'.length

describe('lists', () => {
  const all = Array.from({ length: 100 }, (_, id) => ({ id }))

  test('a cut list says how much it shows of how much, and how to see more', () => {
    expect(listAnswer(all, { rows: 'rows', rowsMax: 2, more: 'More.' })).toEqual({
      rows: [{ id: 0 }, { id: 1 }],
      shown: 2,
      total: 100,
      more: 'More.',
    })
  })

  test('a whole list and a last page do not speak of more', () => {
    expect(listAnswer(all, { rows: 'rows', more: 'More.' })).not.toHaveProperty('more')
    const last = { rows: 'rows', total: 300, isLast: true, more: 'More.' }
    expect(listAnswer(all, last)).not.toHaveProperty('more')
  })

  test('rows that do not fit are cut at the end that matters less', () => {
    const rows = Array.from({ length: 1000 }, (_, id) => ({ id, text: 'x'.repeat(200) }))
    const first = listAnswer(rows, { rows: 'rows', more: 'More.' })
    const last = listAnswer(rows, { rows: 'rows', more: 'More.', keep: 'last' })
    expect(first).toMatchObject({ truncated: true, total: 1000, more: 'More.' })
    expect(first['rows']).toMatchObject([{ id: 0 }, ...Array(Number(first['shown']) - 1).fill({})])
    expect(JSON.stringify(last['rows'])).toContain('"id":999')
    expect(JSON.stringify(last['rows'])).not.toContain('"id":0,')
  })

  test.each([
    [55_999, 2],
    [56_000, 2],
    [56_001, 1],
    [62_000, 1],
  ])('of two rows that fill %i bytes with their commas, %i are shown', (bytes, shown) => {
    const rows = ['first', 'x'.repeat(bytes - BYTES_BESIDE)]
    expect(Buffer.byteLength(rows.map((row) => `${JSON.stringify(row)},`).join(''))).toBe(bytes)
    expect(listAnswer(rows, { rows: 'rows', more: 'More.' })).toMatchObject({ shown, total: 2 })
  })

  test('any payload is cut until it fits', () => {
    const row = { name: 'x'.repeat(300), inner: Array(50).fill('y'.repeat(100)) }
    const { value, cut } = trimmedPayload({ rows: Array(500).fill(row), meta: { total: 500 } }, 500)
    expect(cut).toBe(true)
    expect(Buffer.byteLength(JSON.stringify(value))).toBeLessThanOrEqual(56_000)
    expect(value).toMatchObject({ meta: { total: 500 } })
    expect(trimmedPayload({ rows: [1, 2] }, 50)).toEqual({ value: { rows: [1, 2] }, cut: false })
  })

  test.each([
    [56_000, false],
    [56_001, true],
    [62_000, true],
  ])('a payload of %i bytes is cut: %p', (bytes, cut) => {
    const payload = ['x'.repeat(bytes - '["",1]'.length), 1]
    expect(Buffer.byteLength(JSON.stringify(payload))).toBe(bytes)
    expect(trimmedPayload(payload, 2).cut).toBe(cut)
  })
})

test.each([
  [60_000, true],
  [60_001, false],
])('a result of %i bytes is passed on: %p', (bytes, passes) => {
  const text = 'x'.repeat(bytes - '""'.length)
  if (passes) expect(toToolResult(text).content[0].text.length).toBe(bytes)
  else expect(() => toToolResult(text)).toThrow(ToolFailure)
})
