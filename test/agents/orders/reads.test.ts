import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Limits } from '../../../src/core/mandate.ts'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const MAX = 10_000_000_000n
const LIMITS: Limits = {
  maxOrderUsdc: MAX,
  maxDailyUsdc: MAX,
  maxPositionUsdc: MAX,
  maxLossUsdc: MAX,
  maxLeverage: 20,
  approveAboveDailyUsdc: MAX,
}

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

/** The signed calls and the public reads before and with an order, and the reads after it. */
async function callsOf(order: object, limits: Limits) {
  const calls: string[] = []
  const client: ToolWorld['client'] = {
    ...world.client,
    get: (path, query) => {
      calls.push(path.replace('/api/prep/', ''))
      return world.client.get(path, query)
    },
    relay: (credentials, call) => {
      calls.push(`${call.method} ${call.path.split('?')[0]}`)
      return world.client.relay(credentials, call)
    },
  }
  await world.call('place_order', { symbol: ETH, side: 'BUY', ...order }, { limits, client })
  return calls.slice(0, calls.indexOf('POST /v1/order'))
}

const LIMIT_ORDER = { order_type: 'LIMIT', order_price: 1600, order_quantity: 0.1 }

test('an order reads each of its account’s figures once, and the time of the venue once', async () => {
  const calls = await callsOf(LIMIT_ORDER, LIMITS)
  expect(calls.filter((call) => call.startsWith('GET '))).toEqual([
    'GET /v1/algo/orders',
    'GET /v1/positions',
    'GET /v1/trades',
    'GET /v1/funding_fee/history',
  ])
  expect(calls.filter((call) => call === 'orderbook')).toHaveLength(1)
})

test('an order within no limits reads nothing of its account', async () => {
  expect(await callsOf(LIMIT_ORDER, {})).toEqual(['markets', 'market-rules'])
})
