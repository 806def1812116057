import { describe, expect, test } from 'bun:test'
import { pick, rowsAt } from '../../../src/core/json.ts'
import { changePercent, isActive, isShared } from '../../../src/gateway/market/rows.ts'

describe('rows', () => {
  test('are the objects of a list called rows, and nothing else', () => {
    expect(rowsAt({ rows: [{ a: 1 }, null, 7, 'x', [1], { b: 2 }] }, 'rows')).toEqual([
      { a: 1 },
      { b: 2 },
    ])
    for (const payload of [null, undefined, [], 'rows', {}, { rows: {} }, { rows: 'x' }]) {
      expect(rowsAt(payload, 'rows')).toEqual([])
    }
  })

  test('show the fields that are named and there, in the order of the names', () => {
    const row = { c: 3, a: null, z: 1 }
    expect(JSON.stringify(pick(row, ['a', 'b', 'c']))).toBe('{"a":null,"c":3}')
  })

  test.each([
    ['PERP_BTC_USDC', true],
    ['PERP_1INCH_USDC', true],
    ['PERP_MOON_USDC_demo-x', false],
    ['PERP_MOON_USDC2', false],
    ['PERP_moon_USDC', false],
    ['XPERP_BTC_USDC', false],
    ['SPOT_BTC_USDC', false],
    ['', false],
    [undefined, false],
    [null, false],
  ])('of %p are of a shared market: %p', (symbol, shared) => {
    expect(isShared({ symbol })).toBe(shared)
  })

  test.each([
    [{}, true],
    [{ status: 'ACTIVE' }, true],
    [{ status: 'active' }, false],
    [{ status: 'DELISTING' }, false],
    [{ status: null }, false],
  ])('%p can be traded: %p', (row, active) => {
    expect(isActive(row)).toBe(active)
  })
})

describe('figures', () => {
  test.each([
    [100, 101, 1],
    [100, 99, -1],
    [3, 4, 33.3333],
    [100, 100, 0],
    [0, 5, 0],
    [null, 5, 0],
    [100, null, 0],
    [undefined, undefined, 0],
  ])('from %p to %p the change is %p percent', (open, close, percent) => {
    expect(changePercent(open, close)).toBe(percent)
  })
})
