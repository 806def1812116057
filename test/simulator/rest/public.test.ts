import { describe, expect, test } from 'bun:test'
import SHAPES from '../../vectors/venue-public-shapes.json'
import { differences, openWorld } from '../feed/calls.ts'

const { get, rows } = openWorld()

const QUERIES: Readonly<Record<string, Record<string, string>>> = {
  '/v1/public/market_info/history_charts': { time_interval: '1h' },
  '/v1/public/market_trades': { symbol: 'PERP_BTC_USDC' },
  '/v1/public/funding_rate_history': { symbol: 'PERP_BTC_USDC' },
  '/v1/kline': { symbol: 'PERP_BTC_USDC', type: '1h' },
  '/v1/public/broker/order_enums': { broker_id: 'demo' },
  '/v1/public/broker/order_enum': { broker_id: 'demo', enum_id: 'GRID_PRO' },
  '/v1/tv/config': { locale: 'en' },
  '/v1/tv/symbol_info': { group: 'perp' },
  '/v1/tv/history': { symbol: 'PERP_BTC_USDC', resolution: '60', countback: '30' },
  '/v1/tv/kline_history': { symbol: 'PERP_BTC_USDC', resolution: '1h', limit: '30' },
}

describe('the public rows', () => {
  test.each(Object.entries(SHAPES))(
    'answer %s with exactly the fields of the wire',
    (template, shape) => {
      const path = template.replace('{symbol}', 'PERP_BTC_USDC')
      expect(differences(get(path, QUERIES[template]), shape)).toEqual([])
    },
  )

  test('are the documented ones and the query, open to all, each once', () => {
    const paths = rows.map(({ method, path }) => `${method} ${path}`)
    const documented = Object.keys(SHAPES).map((path) => `GET ${path}`)
    expect(paths.toSorted()).toEqual([...documented, 'POST /v1/public/query'].sort())
    expect(rows.filter(({ scope }) => scope !== 'none')).toEqual([])
    const bare = rows.filter(({ envelope }) => envelope === 'bare').map(({ path }) => path)
    expect(bare.filter((path) => !path.startsWith('/v1/tv/'))).toEqual([])
    expect(bare.length).toBe(4)
  })
})
