import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { ClientFailure } from '../../../src/agents/client/client.ts'
import type { AgentClient } from '../../../src/agents/client/narrow.ts'
import { toHex } from '../../../src/core/hex.ts'
import type { Store } from '../../../src/core/ports.ts'
import { openStoreFile } from '../../../src/store/file.ts'
import { restoreStore } from '../../../src/store/restore.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { postedOf, request, toolText } from '../rpc.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'
import { openWireWorld } from '../wire-world.ts'

const ETH = 'PERP_ETH_USDC'
const MARKET = { symbol: ETH, side: 'BUY', order_type: 'MARKET' }

const AWAY = { error: 'Away.', code: 'upstream_unavailable', status: 502 } as const

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

describe('an order that is sent again with its client_order_id', () => {
  test.each([
    ['a quantity', { order_quantity: 0.1 }],
    ['an amount in USDC', { order_amount: 300 }],
  ])('fills once, and the second gets the result of the first: %s', async (name, size) => {
    const order = { ...MARKET, ...size, client_order_id: `twice-${name.length}` }
    const first = await world.call('place_order', order)
    let second: typeof first
    const writes = await writesDuring(world, async () => {
      second = await world.call('place_order', order)
    })
    expect(writes).toEqual([])
    expect(second).toMatchObject({ order_id: first.order_id, status: 'FILLED', repeated: true })
    expect(second.filled_quantity).toBe(first.filled_quantity)
    expect(first).not.toHaveProperty('repeated')
  })

  test('gets its result after a hundred newer orders, whatever the market and the limits are by then', async () => {
    const order = { ...MARKET, order_quantity: 0.1, client_order_id: 'long-ago' }
    const first = await world.call('place_order', order)
    await placeOthers(101)
    const found = await world.call('list_orders', { client_order_id: 'long-ago', symbol: ETH })
    expect(found.orders).toEqual([])
    const later = {
      limits: { maxOrderUsdc: 1n },
      client: { ...world.client, get: withSizeMin(5) },
    }
    expect(
      (await world.refused('place_order', { ...order, client_order_id: 'new' }, later)).code,
    ).toBe('size_out_of_range')
    const second = await world.call('place_order', order, later)
    expect(second).toMatchObject({ order_id: first.order_id, status: 'FILLED', repeated: true })
  })

  test('gets the id of the first where that cannot be read', async () => {
    const order = { ...MARKET, order_quantity: 0.1, client_order_id: 'unreadable' }
    const { order_id } = await world.call('place_order', order)
    const client = { ...world.client, relay: () => Promise.reject(new ClientFailure(AWAY)) }
    const second = await world.call('place_order', order, { client })
    expect(second).toMatchObject({ order_id, status: null, repeated: true })
  })

  test('is one stop of that id, found by its algo id', async () => {
    const stop = {
      ...{ symbol: ETH, side: 'SELL', algo_type: 'STOP', order_quantity: 0.1 },
      ...{ trigger_price: 1000, client_order_id: 'one-stop' },
    }
    const first = await world.call('place_algo_order', stop)
    const second = await world.call('place_algo_order', stop)
    expect(second).toMatchObject({
      ...{ algo_order_id: first.algo_order_id, algo_type: 'STOP' },
      ...{ quantity: 0.1, client_order_id: 'one-stop', repeated: true },
    })
    const other = await world.refused('place_algo_order', { ...stop, trigger_price: 1001 })
    expect(other.code).toBe('duplicate_request')
    const { orders } = await world.call('list_algo_orders', { symbol: ETH })
    expect(orders).toHaveLength(1)
  })

  test('and another content is refused, with the look-up of the first', async () => {
    const client_order_id = 'other-content'
    await world.call('place_order', { ...MARKET, order_quantity: 0.1, client_order_id })
    const writes = await writesDuring(world, async () => {
      const other = { ...MARKET, order_quantity: 0.2, client_order_id }
      const failure = await world.refused('place_order', other)
      expect(failure).toMatchObject({
        code: 'duplicate_request',
        retryable: false,
        meta: { look_up: { tool: 'list_orders', arguments: { client_order_id } } },
      })
    })
    expect(writes).toEqual([])
  })

  test('is another order where the first certainly did not arrive', async () => {
    const client_order_id = 'refused-first'
    const large = { ...MARKET, order_quantity: 200, client_order_id }
    expect((await world.refused('place_order', large)).code).toBe('insufficient_margin')
    const small = { ...MARKET, order_quantity: 0.1, client_order_id }
    expect(await world.call('place_order', small)).toMatchObject({ status: 'FILLED' })
  })

  test('over HTTP is known to the service, whoever asks it', async () => {
    const { accountId, secret } = world.credentials
    const order = { ...MARKET, order_quantity: 0.1, client_order_id: 'over-http' }
    const placed = async () => {
      const response = await world.fetch('/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-account-id': accountId,
          'x-trading-key': toHex(secret),
        },
        body: JSON.stringify(request('tools/call', { name: 'place_order', arguments: order })),
      })
      return toolText((await postedOf(response)).json).value
    }
    const [first, second] = [await placed(), await placed()]
    expect(second).toMatchObject({ order_id: first['order_id'], repeated: true })
  })
})

test('an order whose outcome is unknown is not sent again, and its last arrival stands', async () => {
  const { world: recorded, venue, instead, stop } = await openWireWorld()
  instead.set('POST /v1/order', 'close')
  const order = {
    ...{ symbol: 'PERP_BTC_USDC', side: 'BUY', order_type: 'LIMIT' },
    ...{ order_quantity: 0.1, order_price: 60_000, client_order_id: 'lost' },
  }
  const first = await recorded.refused('place_order', order)
  expect(first.code).toBe('outcome_unknown')
  const later = { clock: { nowMs: () => 1_700_000_060_000 } }
  const second = await recorded.refused('place_order', order, later)
  expect(second).toMatchObject({
    code: 'outcome_unknown',
    meta: { look_up: first.meta.look_up },
  })
  const laterMs = second.meta.may_arrive_until - first.meta.may_arrive_until
  expect(laterMs).toBeWithin(0, 10_001)
  const sent = venue.requests.filter(({ method }) => method === 'POST')
  expect(sent).toHaveLength(1)
  await stop()
})

describe('after the record of sent orders was lost', () => {
  const LOST_AT_MS = 1_700_000_000_000
  const LATER_MS = LOST_AT_MS + 301_000
  const folder = settingsFolder()
  let sentOrders: Store['once']
  let close = () => {}
  beforeAll(async () => {
    const [path, copy] = [folder.path('data/prepd.sqlite'), folder.path('copy')]
    mkdirSync(dirname(path))
    const store = openSqlite(path, 0)
    await openStoreFile(path).backup(copy)
    store.close()
    await restoreStore(copy, folder.path('restored'), LOST_AT_MS)
    const restored = openSqlite(folder.path('restored/prepd.sqlite'), LOST_AT_MS)
    sentOrders = restored.once
    close = restored.close
  })
  afterAll(() => {
    close()
    folder[Symbol.dispose]()
  })

  const order = { ...MARKET, order_quantity: 0.1 }
  const at = (nowMs: number) => ({ sentOrders, clock: { nowMs: () => nowMs } })
  const refusedAt = async (nowMs: number, args: object) => {
    let failure: Loose
    const sent = await writesDuring(world, async () => {
      failure = await world.refused('place_order', args, at(nowMs))
    })
    expect(sent).toEqual([])
    return failure
  }

  test('an id of the caller is unknown for a day, and an order without one is sent as it says', async () => {
    const { code, meta } = await refusedAt(LATER_MS, { ...order, client_order_id: 'before' })
    expect(code).toBe('outcome_unknown')
    expect(meta.next).toContain('send the order without client_order_id')
    const other = await refusedAt(LATER_MS, { ...order, client_order_id: 'another' })
    expect([other.code, other.meta.next]).toEqual([code, meta.next])
    expect(await world.call('place_order', order, at(LATER_MS))).toMatchObject({ status: 'FILLED' })
    const nextDayMs = LATER_MS + 86_400_000
    const again = { ...order, client_order_id: 'before' }
    expect(await world.call('place_order', again, at(nextDayMs))).toMatchObject({
      status: 'FILLED',
    })
  })

  test('an order without an id certainly was not sent while none is', async () => {
    const { code, meta } = await refusedAt(LOST_AT_MS, order)
    expect([code, meta.next]).toEqual([
      'store_unavailable',
      expect.stringMatching(/^Nothing was sent/),
    ])
  })
})

/** Sends resting orders, ten at a time. */
async function placeOthers(count: number): Promise<void> {
  const order = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_price: 2000 }
  for (let sent = 0; sent < count; sent += 10) {
    const orders = Array.from({ length: 10 }, () => ({ ...order, order_quantity: 0.01 }))
    const body = JSON.stringify({ orders })
    await world.client.relay(world.credentials, { method: 'POST', path: '/v1/batch-order', body })
  }
}

/** A client that is shown this smallest size in every market. */
function withSizeMin(base_min: number): AgentClient['get'] {
  return async (path, query) => {
    const answer: Loose = await world.client.get(path, query)
    if (path !== '/api/prep/market-rules') return answer
    const rules = answer.rules.map((row: Loose) => ({ ...row, info: { ...row.info, base_min } }))
    return { ...answer, rules }
  }
}
