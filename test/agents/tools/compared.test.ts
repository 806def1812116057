import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { bought } from '../tasks/task.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const HOUR_MS = 3_600_000

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld({ VENUE_MARKETS: 'all' })
})
afterAll(() => world.stop())

describe('funding', () => {
  test('is sorted by the rate of eight hours, with the period beside it', async () => {
    const { markets } = await world.call('list_markets', { sort: 'funding', limit: 200 })
    const rates = markets.map((row: Loose) => row.est_funding_rate_8h)
    expect(rates).toEqual(rates.toSorted((a: number, b: number) => b - a))
    const periods = new Set(markets.map((row: Loose) => row.funding_period_h))
    expect(periods.size).toBeGreaterThan(1)
    for (const { est_funding_rate_8h, est_funding_rate_day } of markets)
      expect(est_funding_rate_day).toBeCloseTo(est_funding_rate_8h * 3, 8)
  })

  test('of one market names its period and the rates that compare', async () => {
    const funding = await world.call('get_funding', { symbol: ETH })
    const { rules } = await world.call('get_market', { symbol: ETH })
    expect(funding.funding_period_h).toBe(rules.funding_period)
    const per8 = (funding.est_funding_rate * 8) / rules.funding_period
    expect(funding.est_funding_rate_8h).toBeCloseTo(per8, 9)
  })
})

describe('candles of a range', () => {
  test('start within it, and are those nearest to its end where there are more than the limit', async () => {
    const { now } = await world.call('get_time')
    const end_t = now - 48 * HOUR_MS
    const range = { symbol: ETH, interval: '1h', start_t: end_t - 30 * HOUR_MS, end_t }
    const { rows, columns, total, more } = await world.call('get_candles', range)
    expect(columns[0]).toBe('timestamp')
    expect(rows.length).toBe(24)
    const times = rows.map(([time]: [number]) => time)
    expect(Math.max(...times)).toBeWithin(end_t - HOUR_MS, end_t + 1)
    expect(Math.min(...times)).toBeGreaterThanOrEqual(range.start_t)
    const all = await world.call('get_candles', { ...range, limit: 100 })
    expect(all.rows.length).toBeWithin(30, 32)
    expect(all.rows.slice(-24)).toEqual(rows)
    expect([total, more]).toEqual([all.rows.length, expect.stringContaining('an end_t before')])
    expect(all).not.toHaveProperty('more')
  })

  test('that ends before it starts are refused', async () => {
    const { code } = await world.refused('get_candles', { symbol: ETH, start_t: 2000, end_t: 1000 })
    expect(code).toBe('invalid_request')
  })

  test('of a catalogued read are cut to those nearest to the end', async () => {
    const { now } = await world.call('get_time')
    const seconds = (ms: number) => String(Math.floor(ms / 1000))
    const parameters = {
      symbol: ETH,
      resolution: '1h',
      from: seconds(now - 200 * HOUR_MS),
      to: seconds(now),
    }
    const { result } = await world.call('read_operation', {
      id: 'charts.klineHistory',
      parameters,
      limit: 5,
    })
    expect(result.t).toHaveLength(5)
    expect(now / 1000 - result.t.at(-1)).toBeLessThan(2 * 3600)
  })
})

describe('the report', () => {
  test('says the same of an account without positions as its figures do, and shows a standby', async () => {
    const own = await world.another()
    const report = await own.call('get_report')
    expect(report.margin_ratio).toBe((await own.call('get_account')).margin_ratio)
    expect(report.margin_ratio).toBeNull()
    expect(report).not.toHaveProperty('standby')
    await bought(ETH, 500)(own)
    const stop = { symbol: ETH, side: 'SELL', algo_type: 'STOP', order_quantity: 0.1 }
    const { algo_order_id } = await own.call('place_algo_order', { ...stop, trigger_price: 100 })
    const armed = await own.call('standby', { action: 'arm' })
    expect(armed.conditional_orders_left).toMatchObject([{ algo_order_id, trigger_price: 100 }])
    expect((await own.call('get_report')).standby).toMatchObject({ state: 'armed' })
    expect((await own.call('get_limits')).standby).toMatchObject({ state: 'armed' })
    await own.call('standby', { action: 'withdraw' })
    expect((await own.call('get_limits')).standby).toMatchObject({ state: 'withdrawn' })
  })
})
