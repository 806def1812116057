import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import {
  CandlesAnswer,
  LeaderboardAnswer,
  MarketsAnswer,
  TradesAnswer,
} from '../../../src/contract/market.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'
import { trades } from '../../../src/gateway/market/activity.ts'
import { candles } from '../../../src/gateway/market/candles.ts'
import { leaderboard, whales } from '../../../src/gateway/market/leaderboard.ts'
import { markets } from '../../../src/gateway/market/markets.ts'
import { runs } from '../../runs.ts'
import { answerOf } from './answered.ts'

const ETH = 'symbol=PERP_ETH_USDC'
const CANDLE = { open: '1', high: '2', low: '0.5', close: '1.50', volume: '7' }
const MARKET = {
  ...{ symbol: 'PERP_ETH_USDC', display_symbol_name: 'ETH', index_price: 1, mark_price: 1 },
  ...{ sum_unitary_funding: 0, est_funding_rate: 0.1, last_funding_rate: -0.1, open_interest: 5 },
  ...{ next_funding_time: 1_777_500_000_000, '24h_open': 100, '24h_close': 110, '24h_high': 1 },
  ...{ '24h_low': 1, '24h_volume': 3, '24h_amount': 4 },
}

/** The rows of an answer, and how many were left out of it. */
async function rowsOf(
  route: 'markets' | 'candles' | 'trades',
  rows: readonly object[],
  query = ETH,
): Promise<{ readonly body: unknown; readonly dropped: number }> {
  const meter = createMeter(() => 0)
  const verb = { markets, candles, trades }[route]
  const body = JSON.parse(await answerOf(verb, query, JSON.stringify({ rows }), meter))
  const [sample] = meter.samples('prepd_venue_rows_dropped_total')
  expect(sample?.labels ?? [route]).toEqual([route])
  return { body, dropped: sample?.value ?? 0 }
}

describe('candles', () => {
  test('have texts as values and an integer as time, whatever the venue sends', async () => {
    const { body, dropped } = await rowsOf('candles', [
      { open: 1, high: 2.5, low: '0.5', close: 1e-7, volume: 0, timestamp: '1777500000000' },
      { ...CANDLE, timestamp: 1_777_500_060_000.9 },
    ])
    expect(body).toEqual({
      rows: [
        {
          ...{ open: '1', high: '2.5', low: '0.5', close: '0.0000001', volume: '0' },
          timestamp: 1_777_500_000_000,
        },
        { ...CANDLE, timestamp: 1_777_500_060_000 },
      ],
    })
    expect(dropped).toBe(0)
  })

  test.each([
    ...Object.keys(CANDLE).flatMap((name) => [{ [name]: null }, { [name]: undefined }]),
    ...[
      { open: 'much' },
      { close: '' },
      { volume: true },
      { timestamp: null },
      { timestamp: 'now' },
    ],
    ...[{ timestamp: undefined }, { timestamp: 1e300 }, { high: {} }],
  ])('of which a value is missing or none are left out and counted: %p', async (change) => {
    const whole = { ...CANDLE, timestamp: 1_777_500_000_000 }
    const { body, dropped } = await rowsOf('candles', [{ ...whole, ...change }, whole])
    expect(body).toEqual({ rows: [whole] })
    expect(dropped).toBe(1)
  })

  test('of twelve hours are left out and counted too', async () => {
    const meter = createMeter(() => 0)
    const chart =
      '{"s":"ok","t":[1,2,3],"o":[1,1,1],"h":[1,null,1],"l":[1,1,1],"c":[1,1,1],"v":[1,1]}'
    const { rows } = JSON.parse(await answerOf(candles, `${ETH}&interval=12h`, chart, meter))
    expect(rows).toEqual([
      { open: '1', high: '1', low: '1', close: '1', volume: '1', timestamp: 1000 },
    ])
    expect(meter.samples('prepd_venue_rows_dropped_total')).toEqual([
      { labels: ['candles'], value: 2 },
    ])
  })

  test('of twelve hours are read where the venue writes them as text', async () => {
    const meter = createMeter(() => 0)
    const chart = '{"s":"ok","t":["43200"],"o":["1"],"h":["1.50"],"l":["1"],"c":["1"],"v":["1"]}'
    const { rows } = JSON.parse(await answerOf(candles, `${ETH}&interval=12h`, chart, meter))
    expect(rows).toEqual([
      { open: '1', high: '1.50', low: '1', close: '1', volume: '1', timestamp: 43_200_000 },
    ])
    expect(meter.samples('prepd_venue_rows_dropped_total')).toEqual([])
  })
})

describe('markets', () => {
  test('have numbers, also where the venue wrote them as text', async () => {
    const texts = { mark_price: '2000.5', '24h_open': '100', next_funding_time: '1777500000000' }
    const { body, dropped } = await rowsOf('markets', [{ ...MARKET, ...texts }])
    expect(body).toEqual({
      markets: [{ ...MARKET, status: 'ACTIVE', mark_price: 2000.5, base: 'ETH', change24hPct: 10 }],
    })
    expect(dropped).toBe(0)
  })

  test.each([{ mark_price: null }, { '24h_volume': 'much' }, { next_funding_time: [] }])(
    'of which a number is none are left out and counted: %p',
    async (change) => {
      const { body, dropped } = await rowsOf('markets', [{ ...MARKET, ...change }, MARKET])
      expect(Object(body).markets).toHaveLength(1)
      expect(dropped).toBe(1)
    },
  )
})

// Slow: generated answers are checked against their schemas.
test('whatever values the venue sends, an answer is of its schema', async () => {
  const value = fc.constantFrom(null, true, '', '1', '1.5', 'x', '1e5', 7, -0.5, 1e21, [], {})
  const changes = fc.dictionary(
    fc.constantFrom(...Object.keys({ ...MARKET, ...CANDLE, timestamp: 0, executed_price: 0 })),
    value,
  )
  const trade = { side: 'BUY', executed_price: 1, executed_quantity: 2, executed_timestamp: 3 }
  await fc.assert(
    fc.asyncProperty(fc.array(changes, { maxLength: 4 }), async (rows) => {
      const all = (whole: object) =>
        rows.map(({ symbol: _, display_symbol_name: __, ...row }) => ({ ...whole, ...row }))
      const listed = await rowsOf('markets', [...all(MARKET), MARKET])
      expect([...Value.Errors(MarketsAnswer, listed.body)]).toEqual([])
      const [first] = rows
      if (!first) return
      const charted = await rowsOf('candles', [
        ...all({ ...CANDLE, timestamp: 1 }),
        { ...CANDLE, timestamp: 2 },
      ])
      expect([...Value.Errors(CandlesAnswer, charted.body)]).toEqual([])
      const taped = await rowsOf('trades', [
        ...all({ symbol: 'PERP_ETH_USDC', ...trade }),
        { symbol: 'PERP_ETH_USDC', ...trade },
      ])
      expect([...Value.Errors(TradesAnswer, taped.body)]).toEqual([])
    }),
    { numRuns: runs(60) },
  )
})

describe('traders', () => {
  const row = (at: number, volume: unknown, notional: unknown) => ({
    address: `0x${String(at).repeat(40)}`,
    volume_24h: volume,
    total_notional: notional,
    pnl_24h: '0',
  })
  const rows = [
    row(1, '5', 1),
    row(2, '50', '9.5'),
    row(3, '5', 100),
    row(4, '-1', 9.5),
    row(5, '5', 9.5),
  ]

  test.each([
    { verb: leaderboard, query: '', order: [2, 1, 3, 5, 4] },
    { verb: leaderboard, query: 'sort=notional', order: [3, 2, 4, 5, 1] },
    { verb: leaderboard, query: 'limit=2', order: [2, 1] },
    { verb: whales, query: '', order: [3, 2, 4, 5, 1] },
  ])(
    'are ranked here, those of one amount as they came: $query',
    async ({ verb, query, order }) => {
      const body = JSON.parse(await answerOf(verb, query, JSON.stringify({ rows })))
      expect(body.rows.map(({ address }: { address: string }) => Number(address[2]))).toEqual(order)
      expect(body.rows.map(({ rank }: { rank: number }) => rank)).toEqual(
        order.map((_, at) => at + 1),
      )
      expect(body.total).toBe(order.length)
    },
  )

  test('without one of the amounts are left out and counted; a zero is a zero', async () => {
    const amounts = [{ pnl_7d: '' }, { pnl_7d: '-3' }, {}, { pnl_7d: '0' }, { pnl_7d: null }]
    const whole = { volume_7d: '1', total_notional: 2 }
    const traders = amounts.map((each, at) => withAddress({ ...whole, ...each }, at))
    const meter = createMeter(() => 0)
    const payload = JSON.stringify({ rows: [...traders, 'name', { pnl_7d: 1 }] })
    const body = JSON.parse(await answerOf(leaderboard, 'sort=pnl&window=7d', payload, meter))
    expect(body.rows.map(({ pnl, rank }: Record<string, number>) => [pnl, rank])).toEqual([
      [0, 1],
      [-3, 2],
    ])
    expect([...Value.Errors(LeaderboardAnswer, body)]).toEqual([])
    expect(meter.samples('prepd_venue_rows_dropped_total')).toEqual([
      { labels: ['leaderboard'], value: 5 },
    ])
  })
})

function withAddress(amounts: object, at: number): object {
  return { address: `0x${String(at).repeat(40)}`, ...amounts }
}
