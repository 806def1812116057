import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Store, UpstreamRequest } from '../../../src/core/ports.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { newCaller } from '../../caller.ts'
import { cancelAt, openInstance, TAKEN, type VenueState } from './instance.ts'

const START_MS = 1_800_000_000_000

let nowMs: number
let venue: VenueState
let sent: UpstreamRequest[]
let store: Store
let instance: Awaited<ReturnType<typeof openInstance>>
const caller = newCaller()

async function send(request: UpstreamRequest) {
  sent.push(request)
  if (typeof venue === 'string') return TAKEN
  return {
    status: venue.status,
    body: JSON.stringify({ success: false, code: venue.code, message: 'x' }),
  }
}

beforeEach(async () => {
  nowMs = START_MS
  venue = 'up'
  sent = []
  store = openSqlite(':memory:', 0)
  instance = await openInstance({ store, nowMs: () => nowMs, send })
  await instance.prove(caller)
  sent = []
})
afterEach(() => store.close())

async function pass(ms: number) {
  nowMs += ms
  await instance.send()
}

describe('a standby cancel', () => {
  test('of single orders goes out beside that of all, one of each path', async () => {
    const paths = [
      '/v1/orders?symbol=PERP_ETH_USDC',
      '/v1/order?order_id=7&symbol=PERP_BTC_USDC',
      '/v1/algo/order?order_id=8&symbol=PERP_BTC_USDC',
    ]
    const twice = [0, 200_000].flatMap((laterMs) =>
      paths.map((path, index) => cancelAt(caller, START_MS + laterMs + index, path)),
    )
    await instance.arm(twice, 30_000)
    for (let looks = 0; looks < 10; looks += 1) await pass(30_000)
    expect(sent.map(({ path }) => path)).toEqual(paths)
    expect(await instance.act(caller, 'GET')).toMatchObject({ state: 'cancelled' })
  })

  test('of an order that is gone is done, and the others go out', async () => {
    const gone = cancelAt(caller, START_MS, '/v1/order?order_id=7&symbol=PERP_BTC_USDC')
    const all = cancelAt(caller, START_MS + 1, '/v1/orders')
    await instance.arm([gone, all], 10_000)
    venue = { status: 400, code: -1006 }
    await pass(10_000)
    venue = 'up'
    await pass(1000)
    expect(sent.map(({ path }) => path)).toEqual([gone.path, all.path])
    expect(await instance.act(caller, 'GET')).toMatchObject({ state: 'cancelled' })
  })

  test.each([
    '/v1/order?symbol=PERP_BTC_USDC&order_id=7',
    '/v1/order?order_id=7',
    '/v1/order?order_id=x&symbol=PERP_BTC_USDC',
    '/v1/algo/orders',
  ])('of %s is not taken', async (path) => {
    expect(await instance.arm([cancelAt(caller, START_MS, path)], 10_000)).toMatchObject({
      code: 'invalid_request',
      parameter: 'envelopes.0.path',
    })
  })
})
