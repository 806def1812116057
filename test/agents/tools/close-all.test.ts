import { afterAll, beforeAll, expect, test } from 'bun:test'
import { LIMITS } from '../../../src/contract/limits.ts'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'
import { openWireWorld, type WireWorld } from '../wire-world.ts'

const [ETH, SOL] = ['PERP_ETH_USDC', 'PERP_SOL_USDC']
let world: ToolWorld
let live: WireWorld

beforeAll(async () => {
  world = await openEmbeddedWorld()
  live = await openWireWorld()
})
afterAll(async () => {
  await world.stop()
  await live.stop()
})

const buy = (symbol: string) =>
  world.call('place_order', { symbol, side: 'BUY', order_type: 'MARKET', order_amount: 500 })

test('an order says what it filled and that no real money moved', async () => {
  expect(await buy(ETH)).toMatchObject({
    practice: 'Practice venue: no real money moved.',
    status: 'FILLED',
    unfilled_quantity: 0,
    average_price: expect.any(Number),
    next: expect.stringContaining('Filled'),
  })
  const { markets } = await world.call('list_markets', { search: 'eth' })
  expect(markets).not.toHaveProperty('practice')
})

test('everything is closed but what a limit holds back, which is told', async () => {
  await buy(SOL)
  const limits = { symbols: [ETH] }
  const held = await world.call('close_all', {}, { limits })
  expect(held.closed).toMatchObject([{ symbol: ETH, status: 'FILLED', unfilled_quantity: 0 }])
  expect(held.failed).toMatchObject([{ symbol: SOL, code: 'mandate_exceeded' }])
  expect((await world.call('list_positions')).positions).toMatchObject([{ symbol: SOL }])
  expect(await world.call('close_all')).toMatchObject({ closed: [{ symbol: SOL }], failed: [] })
  const writes = await writesDuring(world, async () => {
    expect(await world.call('close_all')).toMatchObject({ closed: [], failed: [] })
  })
  expect(writes).toEqual([])
})

test('a venue with real money is not called practice, and an order it does not fill is waited for no longer than the limit', async () => {
  const order = { symbol: 'PERP_BTC_USDC', side: 'BUY', order_type: 'MARKET', order_quantity: 0.05 }
  const from = live.venue.requests.length
  const placed = await live.world.call('place_order', order)
  expect(placed).toMatchObject({ status: 'NEW', filled_quantity: 0, average_price: null })
  expect(placed).not.toHaveProperty('practice')
  const looks = live.venue.requests
    .slice(from)
    .filter(({ target }) => target.startsWith('/v1/order/'))
  expect(looks).toHaveLength(LIMITS.orderWaitMaxMs / LIMITS.orderLookEveryMs)
})

test('a venue without stops says so before a position is open, and nothing is sent', async () => {
  live.instead.set('GET /v1/algo/orders', { status: 404, json: { success: false, code: -1006 } })
  live.instead.set('GET /v1/positions', { json: { success: true, data: { rows: [] } } })
  const from = live.venue.requests.length
  const stop = { symbol: 'PERP_BTC_USDC', stop_loss_price: 55000 }
  const { code, meta } = await live.world.refused('set_position_tp_sl', stop)
  expect(code).toBe('not_found')
  expect(meta.next).toContain('no algo orders')
  const sent = live.venue.requests.slice(from).filter(({ method }) => method !== 'GET')
  expect(sent).toEqual([])
})

test('a dead venue and a dead service are answered differently', async () => {
  live.instead.set('GET /v1/positions', { status: 503, json: { success: false, code: -1000 } })
  const venue = await live.world.refused('list_positions')
  expect(venue).toMatchObject({ code: 'upstream_unavailable', meta: { unreachable: 'venue' } })
  const { CONTEXT } = await import('../fixture.ts')
  const service = await live.world.refused('list_positions', {}, { client: CONTEXT.client })
  expect(service).toMatchObject({ code: 'upstream_unavailable', meta: { unreachable: 'service' } })
  expect(venue.message).toBe('The venue cannot be reached right now.')
  expect(service.message).toBe('The service cannot be reached right now.')
  expect(service.meta.next).not.toBe(venue.meta.next)
})

test('lists are sorted as asked', async () => {
  const changes = async (order: string) => {
    const { markets } = await world.call('list_markets', { sort: 'change', order, limit: 200 })
    return markets.map((row: { change24hPct: number }) => row.change24hPct)
  }
  const up = await changes('asc')
  expect(up).toEqual(up.toSorted((a: number, b: number) => a - b))
  expect(up).not.toEqual(await changes('desc'))
  await buy(ETH)
  await buy(SOL)
  const times = async (order: string) => {
    const { orders } = await world.call('list_orders', { status: 'COMPLETED', order })
    return orders.map((row: { order_id: number }) => row.order_id)
  }
  const oldest = await times('oldest')
  expect(oldest.length).toBeGreaterThan(2)
  expect(oldest).toEqual((await times('newest')).toReversed())
  const pages = async (tool: string, rows: string, id: string) => {
    const seen: number[][] = []
    for (const page of [1, 2]) {
      const answer = await world.call(tool, { order: 'oldest', page, size: 2 })
      expect(answer[rows].length).toBeGreaterThan(0)
      seen.push(answer[rows].map((row: Record<string, number>) => row[id]))
    }
    const newest = await world.call(tool, { size: 100 })
    const all = newest[rows].map((row: Record<string, number>) => row[id]).toReversed()
    expect(seen.flat()).toEqual(all.slice(0, seen.flat().length))
  }
  await pages('list_fills', 'fills', 'id')
  for (const trigger_price of [1000, 1100, 1200]) {
    const stop = { symbol: ETH, side: 'SELL', order_quantity: 0.1, trigger_price }
    await world.call('place_algo_order', { ...stop, algo_type: 'STOP' })
  }
  await pages('list_algo_orders', 'orders', 'algo_order_id')
})

test('candles are columns with a line that sums them up', async () => {
  const { summary, columns, rows } = await world.call('get_candles', { symbol: ETH, limit: 5 })
  expect(columns).toEqual(['timestamp', 'open', 'high', 'low', 'close', 'volume'])
  expect(rows.every((row: unknown[]) => row.length === columns.length)).toBe(true)
  expect(summary).toStartWith('5 candles of 1h: ')
  expect(summary).toContain(String(Math.max(...rows.map((row: string[]) => Number(row[2])))))
})

test("the time is that of the venue's virtual clock", async () => {
  expect(await world.call('get_time')).toEqual({
    now: 1_767_225_600_000,
    utc: '2026-01-01T00:00:00.000Z',
    day_began: 1_767_225_600_000,
  })
})
