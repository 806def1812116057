import { expect, test } from 'bun:test'
import { checkExchange } from '../../../src/venue/engine/check.ts'
import { openTrading } from './random-trading.ts'

const OPERATIONS = 200_000
const COMPARED_EVERY = 500

test('200,000 random operations in three markets end as the naive reference says', () => {
  const trading = openTrading(7)
  for (let at = 1; at <= OPERATIONS; at++) {
    const { got, expected } = trading.step(at)
    if (got !== expected) throw new Error(`operation ${at}: ${got}, expected ${expected}`)
    if (at % COMPARED_EVERY !== 0) continue
    const states = trading.states()
    expect(states.got).toEqual(states.expected)
    expect(checkExchange(trading.exchange)).toEqual([])
  }
  expect(trading.exchange.totals.fees).toBeGreaterThan(0)
}, 120_000)
