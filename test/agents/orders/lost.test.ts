import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const ALGO_PATH = '/v1/algo/order'

let world: ToolWorld
let mark: number
beforeAll(async () => {
  world = await openEmbeddedWorld()
  mark = (await world.call('get_market', { symbol: ETH })).market.mark_price
})
afterAll(() => world.stop())

/** Sends an order whose answer is lost once the venue has it; answers the failure's meta. */
async function lost(tool: string, args: object): Promise<Loose> {
  const client = {
    ...world.client,
    relay: async (...call: Parameters<ToolWorld['client']['relay']>) => {
      const answer = await world.client.relay(...call)
      if (call[1].method !== 'GET') throw new Error('connection reset')
      return answer
    },
  }
  const { code, meta } = await world.refused(tool, args, { client })
  expect(code).toBe('outcome_unknown')
  return meta
}

const buy = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.1 }

test('a bracket that filled while its answer was lost is found, and is not sent twice', async () => {
  const bracket = { ...buy, stop_loss: Math.round(mark * 0.9), client_order_id: 'lost-bracket' }
  const { look_up, client_order_id } = await lost('place_order', bracket)
  const found = await world.call(look_up.tool, look_up.arguments)
  expect(found).toMatchObject({
    state: 'arrived',
    orders: [{ algo_type: 'BRACKET', client_order_id }],
  })
  const seen = { symbol: ETH, until: 'order_seen', client_order_id, timeoutSeconds: 1 }
  expect(await world.call('wait_for', seen)).toMatchObject({ met: true })
  const done = await world.call('wait_for', { ...seen, until: 'order_done' })
  expect(done).toMatchObject({ met: true, observed: { status: 'FILLED' } })
  expect(await world.call('place_order', bracket)).toMatchObject({ repeated: true })
  const [{ position_qty }] = (await world.call('list_positions')).positions
  expect(position_qty).toBe(0.1)
})

test('a stop whose answer was lost is found while it waits, and once it is cancelled', async () => {
  const trigger_price = Math.round(mark * 0.8)
  const stop = { symbol: ETH, side: 'SELL', algo_type: 'STOP', order_quantity: 0.1, trigger_price }
  const { look_up } = await lost('place_algo_order', { ...stop, client_order_id: 'lost-stop' })
  const { state, orders } = await world.call(look_up.tool, look_up.arguments)
  expect({ state, orders }).toMatchObject({ state: 'arrived', orders: [{ trigger_price }] })
  const { algo_order_id } = orders[0]
  await world.call('cancel_algo_order', { algo_order_id, symbol: ETH })
  expect(await world.call(look_up.tool, look_up.arguments)).toMatchObject({
    ...{ state: 'arrived', orders: [{ algo_order_id, algo_status: 'CANCELLED' }] },
  })
})

test('an order that does not show is unknown until it can no longer arrive, and then never arrived', async () => {
  const away = async (...[, call]: Parameters<ToolWorld['client']['relay']>) => {
    if (call.path === ALGO_PATH) throw new Error('connection reset')
    return world.client.relay(world.credentials, call)
  }
  const client = { ...world.client, relay: away }
  const stop = {
    symbol: ETH,
    side: 'SELL',
    algo_type: 'STOP',
    order_quantity: 0.1,
    trigger_price: 1000,
  }
  const { meta } = await world.refused(
    'place_algo_order',
    { ...stop, client_order_id: 'gone' },
    { client },
  )
  const { tool, arguments: args } = meta.look_up
  const now = await world.call(tool, args)
  const { may_arrive_until: until } = now
  expect(until).toBeNumber()
  expect(now).toMatchObject({ orders: [], state: 'unknown' })
  const at = (ms: number) => ({ clock: { nowMs: () => until + ms } })
  expect(await world.call(tool, args, at(0))).toMatchObject({ state: 'unknown' })
  expect(await world.call(tool, args, at(1))).toMatchObject({ state: 'never_arrived' })
  // Nobody here knows when this one was sent.
  const strange = { ...args, client_order_id: 'of-another-process' }
  expect(await world.call(tool, strange, at(1e9))).toMatchObject({ state: 'unknown' })
})

test('a bracket by the id of its order is waited for, as any order is', async () => {
  const { algo_order_id } = await world.call('place_order', {
    ...buy,
    stop_loss: Math.round(mark * 0.9),
  })
  const done = { symbol: ETH, until: 'order_done', order_id: algo_order_id, timeoutSeconds: 1 }
  expect(await world.call('wait_for', done)).toMatchObject({ met: true })
})
