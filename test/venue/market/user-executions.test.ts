import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MARKETS } from '../../../src/venue/market/instruments.ts'
import { createUserExecutions } from '../../../src/venue/market/user-executions.ts'

const market = MARKETS.get('PERP_BTC_USDC')
if (!market) throw new Error('no market')
const tickAt = (atMs: number) =>
  ({
    atMs,
    side: 'BUY',
    price: market.quoteTick * 600_000n,
    quantity: market.baseTick * 7n,
  }) as const

function timesOf(
  executions: ReturnType<typeof createUserExecutions>,
  fromMs: number,
  toMs: number,
): number[] {
  const times: number[] = []
  executions.visit(fromMs, toMs, (atMs) => times.push(atMs))
  return times
}

describe('executions', () => {
  test('come back in order of time, from inclusive to exclusive, however they were added', () => {
    const times = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 60 })
    fc.assert(
      fc.property(
        times,
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 0, max: 100 }),
        (added, fromMs, toMs) => {
          const executions = createUserExecutions(market)
          for (const atMs of added) executions.add(tickAt(atMs))
          const expected = added
            .filter((atMs) => atMs >= fromMs && atMs < toMs)
            .sort((a, b) => a - b)
          expect(timesOf(executions, fromMs, toMs)).toEqual(expected)
        },
      ),
    )
  })

  test('come back in ticks and steps', () => {
    const executions = createUserExecutions(market)
    executions.add(tickAt(5))
    const seen: unknown[] = []
    executions.visit(0, 10, (...trade) => seen.push(trade))
    expect(seen).toEqual([[5, 'BUY', 600_000, 7]])
  })

  test('forget the oldest beyond ten thousand', () => {
    const executions = createUserExecutions(market)
    for (let atMs = 0; atMs < 10_005; atMs++) executions.add(tickAt(atMs))
    const times = timesOf(executions, 0, 20_000)
    expect(times.length).toBe(10_000)
    expect(times[0]).toBe(5)
  })
})
