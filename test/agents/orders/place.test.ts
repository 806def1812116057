import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
let world: ToolWorld

beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

async function bestAsk(): Promise<number> {
  const { asks } = await world.call('get_orderbook', { symbol: ETH, depth: 1 })
  return Number(asks[0].price)
}

test('a post-only order that would trade is refused before it is signed, with a price that rests', async () => {
  const ask = await bestAsk()
  const order = { symbol: ETH, side: 'BUY', order_type: 'POST_ONLY', order_quantity: 0.1 }
  const writes = await writesDuring(world, async () => {
    const { code, meta } = await world.refused('place_order', { ...order, order_price: ask + 1 })
    expect(code).toBe('order_rejected')
    expect(meta.problems).toMatchObject([{ rule: 'post_only', limit: ask }])
    expect(meta.suggested.order_price).toBeLessThan(ask)
    expect(meta.next).toContain('Nothing was sent')
  })
  expect(writes).toEqual([])
  const resting = { ...order, order_price: Number((ask - 0.01).toFixed(2)) }
  const { order_id } = await world.call('place_order', resting)
  expect(await world.call('get_order', { order_id })).toMatchObject({ status: 'NEW' })
  await world.call('cancel_order', { order_id, symbol: ETH })
})

test('an answer that is of another order is not taken for its own, which the look_up shows', async () => {
  const order_price = Math.floor((await bestAsk()) * 0.95)
  const order = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.1, order_price }
  const first = await world.call('place_order', { ...order, client_order_id: 'one' })
  const client: typeof world.client = {
    ...world.client,
    relay: async (credentials, call) => {
      const answer = Object(await world.client.relay(credentials, call))
      const again = { order_id: first.order_id, client_order_id: 'one' }
      return call.method === 'POST' && call.path === '/v1/order' ? { ...answer, ...again } : answer
    },
  }
  const second = { ...order, client_order_id: 'two' }
  const { code, meta } = await world.refused('place_order', second, { client })
  expect(code).toBe('outcome_unknown')
  const { orders } = await world.call(meta.look_up.tool, meta.look_up.arguments)
  expect(orders).toMatchObject([{ client_order_id: 'two' }])
  expect(orders[0].order_id).not.toBe(first.order_id)
  await world.call('cancel_all_orders', { symbol: ETH })
})

test.each(['IOC', 'FOK', 'POST_ONLY'])(
  '%s says that it may be cancelled already, and how to look',
  async (order_type) => {
    const order_price = Math.floor((await bestAsk()) * 0.95)
    const order = { symbol: ETH, side: 'BUY', order_type, order_quantity: 0.1, order_price }
    const { next, order_id } = await world.call('place_order', order)
    expect(next).toContain('cancelled')
    expect(next).toContain('get_order')
    const isResting = order_type === 'POST_ONLY'
    const { status } = await world.call('get_order', { order_id })
    expect(status).toBe(isResting ? 'NEW' : 'CANCELLED')
    if (isResting) await world.call('cancel_order', { order_id, symbol: ETH })
  },
)

test('an amount in USDC without margin is not taken for a size in the base asset', async () => {
  const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 200_000 }
  const { code, meta } = await world.refused('place_order', order)
  expect(code).toBe('insufficient_margin')
  expect(meta.value_usdc).toBeGreaterThan(190_000)
  expect(meta).not.toHaveProperty('if_usdc_was_meant')
  expect(meta.next).not.toContain('order_quantity')
  expect(await world.call('list_positions')).toMatchObject({ positions: [] })
})

test('cancelling all says how many orders were open, in the market that was meant', async () => {
  const order_price = Math.floor((await bestAsk()) * 0.95)
  const order = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.1, order_price }
  await world.call('place_order', order)
  await world.call('place_order', order)
  const other = await world.call('cancel_all_orders', { symbol: 'PERP_BTC_USDC' })
  expect(other.open_before).toBe(0)
  expect(await world.call('cancel_all_orders')).toMatchObject({ open_before: 2 })
  expect(await world.call('list_orders')).toMatchObject({ orders: [] })
})

test('orders that cannot be counted are cancelled all the same', async () => {
  const order_price = Math.floor((await bestAsk()) * 0.95)
  const order = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.1, order_price }
  await world.call('place_order', order)
  const { relay } = world.client
  const client: ToolWorld['client'] = {
    ...world.client,
    relay: (credentials, call) =>
      call.method === 'GET' ? Promise.reject(new Error('reset')) : relay(credentials, call),
  }
  const done = await world.call('cancel_all_orders', {}, { client })
  expect(done).toMatchObject({ open_before: null, orders: 'CANCEL_ALL_SENT' })
  expect(await world.call('list_orders')).toMatchObject({ orders: [] })
})
