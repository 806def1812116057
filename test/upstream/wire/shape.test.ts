import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Shape } from '../../../src/contract/venue/shapes.ts'
import { shapeChanges } from '../../../src/upstream/wire/shape.ts'

const ROWS: Shape = {
  rows: [{ symbol: 'str', price: 'num|str', side: 'BUY|SELL', 'note?': 'str', more: 'map' }],
}
const ROW = { symbol: 'PERP_ETH_USDC', price: 1, side: 'BUY', more: { any: 1 } }

describe('an answer', () => {
  test.each([
    ['as its shape says', { rows: [ROW] }],
    ['with another of its types', { rows: [{ ...ROW, price: '1' }] }],
    ['with a field that may be there', { rows: [{ ...ROW, note: 'x' }] }],
    ['with null in the place of any type', { rows: [{ ...ROW, price: null, more: null }] }],
    ['whose first row has a field that another lacks', { rows: [ROW, { symbol: 'x' }] }],
    ['without rows in its list', { rows: [] }],
  ])('%s does not differ', (_, answer) => {
    expect(shapeChanges(ROWS, answer)).toEqual([])
  })

  test.each([
    [{ rows: [{ ...ROW, added: true }] }, 'unknown_field', 'rows[].added', 'bool'],
    [{ rows: [ROW], meta: [] }, 'unknown_field', 'meta', 'list'],
    [{}, 'missing_field', 'rows', ''],
    [{ rows: [{ ...ROW, symbol: 5 }] }, 'other_type', 'rows[].symbol', 'num'],
    [{ rows: [ROW, { ...ROW, more: [] }] }, 'other_type', 'rows[].more', 'list'],
    [{ rows: ROW }, 'other_type', 'rows', 'map'],
    [{ rows: [ROW, 'text'] }, 'other_type', 'rows[]', 'str'],
    [[], 'other_type', '', 'list'],
    [{ rows: [{ ...ROW, side: 'HOLD' }] }, 'other_value', 'rows[].side', 'str'],
    [{ rows: [{ ...ROW, side: 1 }] }, 'other_type', 'rows[].side', 'num'],
  ])('%j differs: %s of %s', (answer, kind, field, found) => {
    expect(shapeChanges(ROWS, answer)).toEqual([{ kind, field, found } as never])
  })

  test('names a field once, however many rows differ in it', () => {
    const rows = Array.from({ length: 30 }, () => ({ ...ROW, symbol: 1, added: 1 }))
    expect(shapeChanges(ROWS, { rows }).map(({ field }) => field)).toEqual([
      'rows[].symbol',
      'rows[].added',
    ])
  })

  test('of any size has at most 50 differences, and none of its values is in them', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`f${at}`, 'secret']))
    const found = shapeChanges(ROWS, {
      ...many,
      rows: Array(5000).fill({ ...ROW, side: 'secret' }),
    })
    expect(found).toHaveLength(50)
    expect(JSON.stringify(found)).not.toContain('secret')
  })

  test('of whatever kind is compared without an error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (answer) => {
        for (const { field } of shapeChanges(ROWS, answer)) expect(typeof field).toBe('string')
      }),
    )
  })
})
