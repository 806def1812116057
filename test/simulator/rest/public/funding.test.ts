import { describe, expect, test } from 'bun:test'
import { NOW_MS, openWorld, refusalOf } from '../../feed/calls.ts'

const { feed, get } = openWorld()
const BTC = 'PERP_BTC_USDC'
const HOUR_MS = 3_600_000

type Rate = { symbol: string; funding_rate: number; funding_rate_timestamp: number }
type State = Record<
  | 'est_funding_rate'
  | 'est_funding_rate_timestamp'
  | 'last_funding_rate'
  | 'last_funding_rate_timestamp'
  | 'next_funding_time'
  | 'sum_unitary_funding',
  number
> & { symbol: string }
type Average = { rate: number; positive: number; negative: number }
type Averages = { symbol: string; funding: Record<string, Average> }
const SAME = [
  'est_funding_rate',
  'last_funding_rate',
  'next_funding_time',
  'sum_unitary_funding',
] as const
const history = (query: Record<string, string> = {}) =>
  get<{ rows: Rate[]; meta: { total: number; current_page: number } }>(
    '/v1/public/funding_rate_history',
    { symbol: BTC, ...query },
  )

describe('the funding rates', () => {
  test('are the same in every list', () => {
    for (const row of get<{ rows: State[] }>('/v1/public/funding_rates').rows) {
      expect(get<State>(`/v1/public/funding_rate/${row.symbol}`)).toEqual(row)
      const future = get<State>(`/v1/public/futures/${row.symbol}`)
      for (const name of SAME) {
        expect(future[name]).toBe(row[name])
      }
    }
    expect(get('/v1/public/funding_rate/PERP_NOPE_USDC')).toBeUndefined()
  })

  test('tell when they were settled, when estimated and when they settle next', () => {
    const row = get<State>(`/v1/public/funding_rate/${BTC}`)
    expect(row.next_funding_time - row.last_funding_rate_timestamp).toBe(8 * HOUR_MS)
    expect(row.est_funding_rate_timestamp).toBe(Math.floor(NOW_MS / 15_000) * 15_000)
  })
})

describe('the funding history', () => {
  test('begins with the last settlement and goes back, sixty a page', () => {
    const { rows, meta } = history()
    expect(rows.length).toBe(60)
    expect<unknown>(meta).toEqual({
      total: feed.settlements(BTC).length,
      records_per_page: 60,
      current_page: 1,
    })
    const rate = get<State>(`/v1/public/funding_rate/${BTC}`)
    expect<unknown>(rows[0]).toEqual({
      symbol: BTC,
      funding_rate: rate.last_funding_rate,
      funding_rate_timestamp: rate.last_funding_rate_timestamp,
      next_funding_time: rate.next_funding_time,
    })
    expect(
      rows.every(
        (row, at) =>
          at === 0 ||
          (rows[at - 1]?.funding_rate_timestamp ?? 0) - row.funding_rate_timestamp === 8 * HOUR_MS,
      ),
    ).toBe(true)
  })

  test('can be paged and cut to a period', () => {
    const first = history({ size: '5' }).rows
    const second = history({ size: '5', page: '2' })
    expect(history({ size: '10' }).rows).toEqual([...first, ...second.rows])
    expect(second.meta.current_page).toBe(2)
    const [from, to] = [first[3]?.funding_rate_timestamp, first[1]?.funding_rate_timestamp]
    expect(history({ start_t: String(from), end_t: String(to) }).rows).toEqual(first.slice(1, 4))
  })

  test('is empty for a market that does not exist, and refuses a call without one', () => {
    expect(history({ symbol: 'PERP_NOPE_USDC' })).toMatchObject({ rows: [], meta: { total: 0 } })
    expect(refusalOf(() => get('/v1/public/funding_rate_history'))).toEqual({
      status: 400,
      code: -1005,
    })
  })
})

describe('the average rates', () => {
  test.each([
    ['1d', 3],
    ['7d', 21],
    ['30d', 90],
  ])('of %s are the mean of the last %d settlements', (name, count) => {
    const row = get<{ rows: Averages[] }>('/v1/public/market_info/funding_history').rows.find(
      ({ symbol }) => symbol === BTC,
    )
    const rates = history({ size: '500' })
      .rows.slice(0, count)
      .map(({ funding_rate }) => funding_rate)
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / count
    expect(row?.funding[name]?.rate ?? 0).toBeCloseTo(mean, 7)
    expect(row?.funding[name]?.positive).toBe(rates.filter((rate) => rate > 0).length)
    expect(row?.funding[name]?.negative).toBe(rates.filter((rate) => rate < 0).length)
    expect(row?.funding['last']?.rate).toBe(rates[0])
  })
})
