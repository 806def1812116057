import { describe, expect, test } from 'bun:test'
import { NOW_MS, openWorld, refusalOf } from '../../feed/calls.ts'

const { feed, get } = openWorld()
const BTC = 'PERP_BTC_USDC'
const HOUR_S = 3600
const NOW_S = Math.floor(NOW_MS / 1000)
const HOUR_START_S = Math.floor(NOW_S / HOUR_S) * HOUR_S

type Bars = Record<'t' | 'o' | 'h' | 'l' | 'c' | 'v' | 'a', number[]> & { s: string }

const udf = (query: Record<string, string>) =>
  get<Bars>('/v1/tv/history', { symbol: BTC, resolution: '60', ...query })
const kline = (query: Record<string, string>) =>
  get<Bars>('/v1/tv/kline_history', { symbol: BTC, resolution: '1h', ...query })

describe('chart bars', () => {
  test('are the candles of the market, in columns, oldest first', () => {
    const bars = udf({ from: String(HOUR_START_S - 5 * HOUR_S), to: String(NOW_S) })
    const candles = feed.candles(
      BTC,
      HOUR_S * 1000,
      (HOUR_START_S - 5 * HOUR_S) * 1000,
      NOW_MS,
      NOW_MS,
    )
    expect<unknown>(bars).toEqual({
      s: 'ok',
      t: candles.map(({ startMs }) => startMs / 1000),
      o: candles.map(({ open }) => Number(open) / 1e8),
      h: candles.map(({ high }) => Number(high) / 1e8),
      l: candles.map(({ low }) => Number(low) / 1e8),
      c: candles.map(({ close }) => Number(close) / 1e8),
      v: candles.map(({ volume }) => Number(volume) / 1e8),
    })
    expect(bars.t.length).toBe(6)
  })

  test('are counted back from the end when a count is given, whatever the beginning', () => {
    const bars = udf({ from: String(NOW_S), to: String(NOW_S), countback: '12' })
    expect(bars.t.length).toBe(12)
    expect(bars.t.at(-1)).toBe(HOUR_START_S)
    expect(udf({ resolution: '1', countback: '5000' }).t.length).toBe(1000)
  })

  test.each(['1', '3', '5', '15', '30', '60', '240', '720', '1D', '1W', '1M'])(
    'exist at resolution %s',
    (resolution) => {
      const { s, t } = udf({ resolution, countback: '2' })
      expect(s).toBe('ok')
      expect(t.length).toBe(2)
    },
  )

  test('with amounts are limited and counted back from the end', () => {
    const bars = kline({ limit: '3' })
    expect(bars.t).toEqual([HOUR_START_S - 2 * HOUR_S, HOUR_START_S - HOUR_S, HOUR_START_S])
    for (const [at, amount] of bars.a.entries()) {
      expect(amount / (bars.v[at] ?? 0)).toBeWithin(bars.l[at] ?? 0, bars.h[at] ?? 0)
    }
    expect(kline({ resolution: '1m' }).t.length).toBe(1000)
    expect(kline({ resolution: '1mon' }).t.at(-1)).toBe(Date.UTC(2026, 3, 1) / 1000)
  })

  test('are no data for a market or a time without any', () => {
    const none = { s: 'no_data' }
    expect<unknown>(udf({ symbol: 'PERP_NOPE_USDC' })).toEqual(none)
    expect<unknown>(udf({ from: '0', to: '86400' })).toEqual(none)
    expect<unknown>(udf({ from: String(NOW_S + 60), to: String(NOW_S + 120) })).toEqual(none)
    expect<unknown>(kline({ symbol: 'PERP_NOPE_USDC' })).toEqual(none)
  })

  test.each([
    { resolution: '7' },
    { resolution: '' },
    { symbol: '' },
    { from: 'yesterday' },
    { countback: '-1' },
  ])('are refused for %o', (query) => {
    expect(refusalOf(() => udf(query))).toEqual({ status: 400, code: -1005 })
  })
})

describe('the chart’s symbols', () => {
  const info = get<{ s: string; symbol: string[]; pricescale: number[] }>('/v1/tv/symbol_info', {
    group: 'perp',
  })

  test('have one entry in every column', () => {
    const { s, ...columns } = info
    expect(s).toBe('ok')
    expect(new Set(Object.values(columns).map(({ length }) => length))).toEqual(
      new Set([info.symbol.length]),
    )
    expect(info.pricescale[info.symbol.indexOf(BTC)]).toBe(10)
    expect(info.pricescale[info.symbol.indexOf('PERP_WOO_USDC')]).toBe(1_000_000)
  })

  test('leave out what one builder listed', () => {
    expect(info.symbol.length).toBe(feed.instruments.size - 1)
    expect(JSON.stringify(info)).not.toContain('demo-x')
  })

  test('and the configuration need their parameter', () => {
    expect(refusalOf(() => get('/v1/tv/symbol_info')).code).toBe(-1005)
    expect(refusalOf(() => get('/v1/tv/config')).code).toBe(-1005)
  })
})
