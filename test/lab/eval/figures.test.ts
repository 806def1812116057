// Slow: worlds are opened and run, and agents are programs of their own.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { CALLS, openEvaluations, SHORT } from './fixture.ts'

const DAY = SHORT.replace('length = "20m"\nstep = "5m"', 'length = "1d"\nstep = "1h"')

const TRADES = `${CALLS}
const order = (side, order_amount) => call('place_order', { symbol: 'PERP_ETH_USDC', side, order_type: 'MARKET', order_amount })
await order('BUY', 1000)
await order('SELL', 300)
await call('advance_clock', { seconds: 120 })
await order('SELL', 300)
for (;;) await call('advance_clock', { seconds: 3600 })
`

let here: ReturnType<typeof openEvaluations>
beforeEach(() => {
  here = openEvaluations()
})
afterEach(() => here[Symbol.dispose]())

const ran = async (text: string, program: string) => {
  using own = openEvaluations({ text })
  const flags = ['--agent', own.program(program)]
  const one = await own.evaluate('run', '', 'out', ...flags, '--seed', '7')
  const all = await own.evaluate('run', '', 'out', ...flags)
  const result = JSON.parse(own.read('out/result.json'))
  return { one: one.lines, all: all.lines, page: own.read('out/report.html'), result }
}

const named = (lines: readonly string[], name: string) =>
  lines.find((line) => line.startsWith(`${name} `))

describe('the figures of a run', () => {
  test('that is shorter than a day have no ratio of a year, printed or shown', async () => {
    const { one, all, page, result } = await ran(SHORT, TRADES)
    for (const name of ['sharpe', 'sortino', 'calmar']) {
      expect(named(one, name)).toBeUndefined()
      expect(named(all, name)).toBeUndefined()
      expect(result.runs[0].figures[name]).toBeNull()
    }
    expect(result.runs[0].intervals).toEqual({})
    expect(page).not.toContain('<td>sharpe</td>')
    expect(page).not.toContain('bootstrap')
    for (const name of ['volatility', 'winRate', 'slippage', 'turnover', 'feesUsdc', 'fundingUsdc'])
      expect(named(all, name)).toMatch(/ -?\d/)
  })

  test('of a day have them, with intervals that are named for what they are', async () => {
    const { one, all, page, result } = await ran(DAY, TRADES)
    for (const name of ['sharpe', 'calmar']) {
      expect(named(all, name)).toMatch(/ -?\d/)
      expect(result.runs[0].figures[name]).toBeNumber()
    }
    expect(one.join('\n')).toContain('95 % BOOTSTRAP INTERVAL')
    expect(page).toContain('95 % bootstrap interval')
  })

  test('count the orders that closed with a profit, and what taking cost by value', async () => {
    const { result } = await ran(SHORT, TRADES)
    const { figures } = result.runs[0]
    // The first sale crosses the spread at once, so it loses.
    expect([0, 0.5]).toContain(figures.winRate)
    expect(figures.slippage).toBeCloseTo(figures.impactUsdc / figures.tradedUsdc, 5)
    expect(figures.slippage).toBeLessThan(0)
    const idle = await ran(SHORT, 'process.exit(0)')
    const { winRate, slippage } = idle.result.runs[0].figures
    expect([winRate, slippage]).toEqual([null, null])
  })

  test('say how large the positions were over time', async () => {
    const { one, all } = await ran(SHORT, TRADES)
    // Five samples, of which the first is the account before its first order.
    const [, parts = ''] =
      /^exposure in 5 equal parts of the time: (.+)$/m.exec(one.join('\n')) ?? []
    const [first, ...later] = parts.split(' ').map(Number)
    expect(first).toBe(0)
    expect(later).toHaveLength(4)
    for (const share of later) expect(share).toBeCloseTo(0.04, 2)
    expect(all.some((line) => line.startsWith('exposure in 5 equal parts of the time: '))).toBe(
      true,
    )
  })
})
