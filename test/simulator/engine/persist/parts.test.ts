import { describe, expect, test } from 'bun:test'
import { createAssembly, treeParts } from '../../../../src/simulator/engine/persist/parts.ts'

function throughParts(tree: object): {
  readonly parts: readonly string[]
  readonly again: unknown
} {
  const parts = [...treeParts(tree)]
  const assembly = createAssembly()
  for (const part of parts) assembly.add(part)
  return { parts, again: assembly.tree() }
}

const long = Array.from({ length: 5000 }, (_, id) => ({ id, text: `row ${id}`, nothing: null }))

describe('a tree in parts', () => {
  test.each([
    { world: { version: 2, totals: { a: 1, b: { c: [1, 2] } }, rows: [] }, kept: {} },
    {
      kept: { counter: 7, text: 'x', none: null, list: [[1, { deep: [[]] }]], two: { rows: [1] } },
    },
    { a: [undefined, Number.NaN, -0, 'é\u2028"', { b: undefined }], gone: undefined, empty: {} },
    { world: { queue: { sequence: 3, heap: [[1, 2, 'index', 0]] }, accounts: long } },
  ])('is what it was as one text: %#', (tree) => {
    expect(throughParts(tree).again).toEqual(JSON.parse(JSON.stringify(tree)))
  })

  test('has parts of about one length, however long a list is', () => {
    const { parts, again } = throughParts({ kept: { rows: long }, after: 1 })
    expect(again).toEqual({ kept: { rows: long }, after: 1 })
    expect(parts.length).toBeGreaterThan(2)
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(150_000)
  })

  test('makes the rows of an iterator as they are written, and not before', () => {
    let made = 0
    const rows = long.values().map((row) => {
      made += 1
      return row
    })
    const parts = treeParts({ rows })
    expect(made).toBe(0)
    parts.next()
    expect(made).toBeGreaterThan(0)
    expect(made).toBeLessThan(long.length)
  })
})
