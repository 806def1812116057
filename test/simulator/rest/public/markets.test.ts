import { describe, expect, test } from 'bun:test'
import { NOW_MS, openWorld, refusalOf, WORLD_START_MS } from '../../feed/calls.ts'

const { feed, get, past } = openWorld()
const BTC = 'PERP_BTC_USDC'
const DAY_MS = 86_400_000

type Row = Record<string, unknown> & { symbol: string }
type Rows = { rows: Row[] }
type Prices = { mark_price: number; index_price: number }
type Band = {
  symbol: string
  mark_index_price_deviation_floor: number
  mark_index_price_deviation_cap: number
}
type Chart = { price_list: { ts: number; price: number }[] }
type Trade = { executed_timestamp: number }
const bySymbol = (rows: readonly Row[], symbol: string) => rows.find((row) => row.symbol === symbol)

describe('the list of markets', () => {
  const { rows } = get<Rows>('/v1/public/futures')

  test('has a row for every market, planted ones included', () => {
    expect(rows.map(({ symbol }) => symbol)).toEqual([...feed.instruments.keys()])
    expect(bySymbol(rows, 'PERP_EOS_USDC')?.['status']).toBe('REDUCE_ONLY')
    expect(bySymbol(rows, 'PERP_MOON_USDC_demo-x')?.['broker_id']).toBe('demo-x')
    expect(bySymbol(rows, BTC)?.['broker_id']).toBeNull()
  })

  test('tells figures that agree with each other', () => {
    for (const row of rows) {
      const [open, high, low, close] = ['24h_open', '24h_high', '24h_low', '24h_close'].map(
        (name) => Number(row[name]),
      )
      expect(Math.max(Number(open), Number(close))).toBeLessThanOrEqual(Number(high))
      expect(Math.min(Number(open), Number(close))).toBeGreaterThanOrEqual(Number(low))
      const meanPrice = Number(row['24h_amount']) / Number(row['24h_volume'])
      expect(meanPrice).toBeWithin(Number(low), Number(high))
      expect(Number(row['mark_price'])).toBeWithin(Number(close) * 0.97, Number(close) * 1.03)
    }
  })

  test('is the same for one market as for all, and silent about a market that does not exist', () => {
    expect(get<Row>(`/v1/public/futures/${BTC}`)).toEqual(bySymbol(rows, BTC) ?? { symbol: '' })
    expect(get('/v1/public/futures/PERP_NOPE_USDC')).toBeUndefined()
    expect(get('/v1/public/info/PERP_NOPE_USDC')).toBeUndefined()
  })

  test('trades roughly what its turnover promises, and not the same everywhere', () => {
    const amounts = rows.map((row) => Number(row['24h_amount']))
    const promised = [...feed.instruments.values()].map((market) => market.dailyTurnoverUsdc)
    amounts.forEach((amount, position) => {
      expect(amount / (promised[position] ?? 0)).toBeWithin(0.6, 1.5)
    })
    expect(Math.max(...amounts) / Math.min(...amounts)).toBeGreaterThan(50)
  })
})

describe('the rules', () => {
  test('publish the market exactly', () => {
    expect(get(`/v1/public/info/${BTC}`)).toMatchObject({
      quote_min: 0,
      quote_max: 1_000_000,
      quote_tick: 0.1,
      base_tick: 0.00001,
      min_notional: 10,
      price_range: 0.03,
      price_scope: 0.4,
      funding_period: 8,
      base_imr: 0.01,
      base_mmr: 0.006,
      imr_factor: 9.1e-8,
      cap_funding: 0.003,
      floor_funding: -0.003,
      mark_index_price_deviation_floor: 0.97,
      mark_index_price_deviation_cap: 1.03,
    })
  })

  test('keep every mark within the band around the index that they publish', () => {
    for (const rules of get<{ rows: Band[] }>('/v1/public/info').rows) {
      const { mark_price, index_price } = get<Prices>(`/v1/public/futures/${rules.symbol}`)
      expect(mark_price / index_price).toBeWithin(
        rules.mark_index_price_deviation_floor,
        rules.mark_index_price_deviation_cap,
      )
    }
  })
})

describe('price changes', () => {
  test('tell the price then, by the minute or at midnight, and the last one as the day closes', () => {
    const row = bySymbol(get<Rows>('/v1/public/market_info/price_changes').rows, BTC)
    const future = get<Row>(`/v1/public/futures/${BTC}`)
    expect(row?.['24h']).toBe(future['24h_open'])
    expect(row?.['last_price']).toBe(future['24h_close'])
    const midnightMs = Math.floor(NOW_MS / DAY_MS) * DAY_MS - 7 * DAY_MS
    const [first] = past.trades(BTC, midnightMs, midnightMs + 60_000)
    expect(row?.['7d']).toBe(Number(first?.price) / 1e8)
    expect(Object.values(row ?? {}).filter((value) => value === 0)).toEqual([])
    expect(WORLD_START_MS).toBeGreaterThan(midnightMs - 30 * DAY_MS)
  })
})

describe('history charts', () => {
  test('close where the candles close', () => {
    const [row] = get<{ rows: Chart[] }>('/v1/public/market_info/history_charts', {
      time_interval: '4h',
    }).rows
    const candles = feed
      .candles(BTC, 4 * 3_600_000, NOW_MS - 4 * DAY_MS, NOW_MS + 1, NOW_MS)
      .slice(-24)
    expect(row?.price_list).toEqual(
      candles.map(({ startMs, close }) => ({ ts: startMs, price: Number(close) / 1e8 })),
    )
  })

  test('refuse an interval that does not exist', () => {
    const call = () => get('/v1/public/market_info/history_charts', { time_interval: '2h' })
    expect(refusalOf(call)).toEqual({ status: 400, code: -1005 })
  })
})

describe('the public tape', () => {
  test.each([
    [{}, 10],
    [{ limit: '200' }, 200],
    [{ limit: '999999' }, 1000],
  ])('with %o tells %d trades, newest first', (query, count) => {
    const { rows } = get<{ rows: Trade[] }>('/v1/public/market_trades', { symbol: BTC, ...query })
    expect(rows.length).toBe(count)
    const times = rows.map(({ executed_timestamp }) => executed_timestamp)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    expect(times[0]).toBeLessThanOrEqual(NOW_MS)
  })

  test('is silent about a market that does not exist and refuses a call without one', () => {
    expect(get('/v1/public/market_trades', { symbol: 'PERP_NOPE_USDC' })).toBeUndefined()
    expect(refusalOf(() => get('/v1/public/market_trades'))).toEqual({ status: 400, code: -1005 })
    expect(refusalOf(() => get('/v1/public/market_trades', { symbol: BTC, limit: 'x' })).code).toBe(
      -1005,
    )
  })
})
