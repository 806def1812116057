import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { MarketSessionsAnswer } from '../../../src/contract/market.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'
import { marketSessions } from '../../../src/gateway/market/sessions.ts'
import { answerOf } from './answered.ts'

/** The time of the venue's clock in these tests. */
const NOW_MS = 1_777_500_000_123
const [BEFORE, SOON, LATER] = [NOW_MS - 1000, NOW_MS + 1000, NOW_MS + 2000]

async function sessions(...rows: unknown[]) {
  const meter = createMeter(() => 0)
  const body = JSON.parse(await answerOf(marketSessions, '', JSON.stringify({ rows }), meter))
  expect([...Value.Errors(MarketSessionsAnswer, body)]).toEqual([])
  return {
    rows: body.rows,
    symbols: body.symbols,
    dropped: meter.samples('prepd_venue_rows_dropped_total')[0]?.value ?? 0,
  }
}

const session = (next_open: unknown, next_close: unknown) => ({
  symbol: 'PERP_NVDA_USDC',
  next_open,
  next_close,
})

describe('the session of a market', () => {
  test.each([
    ['closed until its opening', SOON, LATER, { open: false, opensAt: SOON, closesAt: LATER }],
    ['open until its close', LATER, SOON, { open: true, opensAt: LATER, closesAt: SOON }],
    ['open, its opening being over', BEFORE, SOON, { open: true, opensAt: null, closesAt: SOON }],
    ['closed, its close being over', SOON, BEFORE, { open: false, opensAt: SOON, closesAt: null }],
    ['told in text', String(LATER), String(SOON), { open: true, opensAt: LATER, closesAt: SOON }],
    ['always open without hours', null, null, { open: true, opensAt: null, closesAt: null }],
  ])('%s', async (_, next_open, next_close, expected) => {
    const { rows, dropped } = await sessions(session(next_open, next_close))
    expect(rows).toEqual([expect.objectContaining({ symbol: 'PERP_NVDA_USDC', ...expected })])
    expect(rows[0].note === '').toBe(expected.open)
    expect(dropped).toBe(0)
  })

  test.each([
    ['has passed whole', BEFORE, BEFORE],
    ['is no time', 'Monday', SOON],
    ['is a list', [SOON], LATER],
  ])('that %s is unknown: left out and counted', async (_, next_open, next_close) => {
    const whole = session(LATER, SOON)
    const unknown = { ...session(next_open, next_close), symbol: 'PERP_TSLA_USDC' }
    const { rows, symbols, dropped } = await sessions(unknown, whole, null, 'name')
    expect(rows).toHaveLength(1)
    expect(dropped).toBe(3)
    // Its fee rates are those of its kind whatever its hours are.
    expect(symbols).toEqual(['PERP_TSLA_USDC', 'PERP_NVDA_USDC'])
  })

  test('of a builder’s market is not shown, and not counted', async () => {
    const own = { ...session(LATER, SOON), symbol: 'PERP_NVDA_USDC_builder' }
    expect(await sessions(own)).toEqual({ rows: [], symbols: [], dropped: 0 })
  })

  test('is none where the venue has none', async () => {
    for (const data of ['{"rows":[]}', '{}', 'null'])
      expect(JSON.parse(await answerOf(marketSessions, '', data))).toEqual({
        rows: [],
        symbols: [],
      })
  })
})
