import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ClientFailure } from '../../../src/agents/client/client.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
let world: ToolWorld

beforeAll(async () => {
  world = await openEmbeddedWorld({ VENUE_MARKETS: 'all' })
})
afterAll(() => world.stop())

describe('spreads of markets', () => {
  test('are there for a few rows, and equal those of the books', async () => {
    const { markets } = await world.call('list_markets', { limit: 2 })
    expect(markets).toHaveLength(2)
    for (const { symbol, spread_pct } of markets) {
      const { bids, asks } = await world.call('get_orderbook', { symbol, depth: 1 })
      const [bid, ask] = [Number(bids[0].price), Number(asks[0].price)]
      expect(spread_pct).toBeCloseTo(((ask - bid) / ((ask + bid) / 2)) * 100, 4)
    }
  })

  test('are read for more only when they are asked for, and for twenty at most', async () => {
    const { markets } = await world.call('list_markets', { limit: 6 })
    expect(markets[0]).not.toHaveProperty('spread_pct')
    const fields = 'symbol,spread_pct'
    const asked = await world.call('list_markets', { fields, limit: 6 })
    expect(asked.markets.map((row: Loose) => Object.keys(row))).toEqual(
      Array(6).fill(['symbol', 'spread_pct']),
    )
    const few = await world.call('list_markets', { fields: 'symbol', limit: 2 })
    expect(few.markets[0]).toEqual({ symbol: expect.any(String) })
    const { code, meta } = await world.refused('list_markets', { fields, limit: 200 })
    expect([code, meta.parameter, meta.maximum]).toEqual(['invalid_request', 'limit', 20])
  })

  test('of a market whose book cannot be read are null', async () => {
    const get = async (path: string, query?: Record<string, string>) => {
      if (path === '/api/prep/orderbook' && query?.['symbol'] === ETH)
        throw new ClientFailure({ code: 'upstream_timeout', error: '', status: 504 })
      return world.client.get(path, query)
    }
    const { markets } = await world.call(
      'list_markets',
      { limit: 3 },
      { client: { ...world.client, get } },
    )
    const spreads = markets.map(({ symbol, spread_pct }: Loose) =>
      symbol === ETH ? spread_pct : typeof spread_pct,
    )
    expect(spreads.toSorted()).toEqual(['number', 'number', null].toSorted())
  })
})
