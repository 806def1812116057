import { describe, expect, test } from 'bun:test'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { BUY } from '../../../src/simulator/state/state.ts'
import { SIX_MARKETS } from '../embedded-fixture.ts'
import { NOW_MS, openWorld, WORLD_START_MS } from './calls.ts'

const BTC = 'PERP_BTC_USDC'
const KEY = `0x${'ab'.repeat(32)}`

type Future = Record<'24h_volume' | 'open_interest' | 'mark_price' | '24h_close', number>
type Rows<Row> = { rows: Row[] }
type Trade = { side: string; executed_price: number; executed_timestamp: number }

/** A world in which somebody with deep pockets has just bought a market's nearest offers. */
function boughtWorld() {
  const world = openWorld()
  const read = () => ({
    future: world.get<Future>(`/v1/public/futures/${BTC}`),
    holding: world.get<{ total_holding: number }>('/v1/public/balance/stats').total_holding,
    ask: Number(world.query<Book>({ type: 'orderbook', symbol: BTC }).asks[0]?.price),
    open: world
      .get<Rows<{ symbol: string; long_oi: number }>>(
        '/v1/public/market_info/traders_open_interests',
      )
      .rows.find(({ symbol }) => symbol === BTC)?.long_oi,
  })
  const before = read()
  const { engine } = world.exchange.simulation()
  const account = engine.submit('open', { key: KEY, leverage: 10 }, NOW_MS).number
  engine.submit('deposit', { account, amount: 5_000_000_000_000 }, NOW_MS)
  const quantity = 300_000
  engine.submit(
    'place',
    { ...PLAIN_ORDER, type: 'MARKET', account, market: 0, side: BUY, quantity },
    NOW_MS,
  )
  return { world, before, after: read(), bought: quantity / 1e5 }
}

type Book = { asks: { price: string }[] }

describe('what the public is told', () => {
  const { world, before, after, bought } = boughtWorld()

  test('follows a purchase: volume, price, book, open interest and holdings', () => {
    expect(after.future['24h_volume']).toBeCloseTo(before.future['24h_volume'] + bought, 4)
    expect(after.future['24h_close']).toBeGreaterThan(before.future['24h_close'])
    expect(after.future.mark_price).toBeGreaterThanOrEqual(before.future.mark_price)
    expect(after.ask).toBeGreaterThan(before.ask)
    expect(after.open).toBeCloseTo((before.open ?? 0) + bought, 4)
    expect(after.holding).toBeCloseTo(before.holding + 5_000_000, 4)
  })

  test('has the buyer on the leaderboard, among agents', () => {
    const { rows } = world.query<Rows<{ address: string; position_count: number }>>({
      type: 'topAddresses',
      sort_by: 'notional',
      limit: 200,
    })
    const own = rows.find(({ address }) => address === `0x${KEY.slice(-40)}`)
    expect(own?.position_count).toBe(1)
    expect(rows.length).toBeGreaterThan(60)
  })

  test('is one tape across genesis: newest first, the purchase on top, seeded trades below', () => {
    const { rows } = world.get<Rows<Trade>>('/v1/public/market_trades', {
      symbol: BTC,
      limit: '1000',
    })
    expect(rows[0]).toMatchObject({ side: 'BUY', executed_timestamp: NOW_MS })
    const times = rows.map(({ executed_timestamp }) => executed_timestamp)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    expect(times.some((atMs) => atMs < WORLD_START_MS)).toBe(true)
    expect(times.filter((atMs) => atMs >= WORLD_START_MS).length).toBeGreaterThan(20)
  })

  test('leaves what was before genesis as it was', () => {
    const untouched = openWorld(1, SIX_MARKETS)
    const hour = { symbol: BTC, resolution: '60', from: '0', to: String(WORLD_START_MS / 1000) }
    const past = world.get('/v1/tv/history', { ...hour, countback: '48' })
    expect(past).toEqual(untouched.get('/v1/tv/history', { ...hour, countback: '48' }))
  })
})
