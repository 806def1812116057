// Slow: PostgreSQL starts.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { toHex } from '../../src/core/hex.ts'
import { request, toolText } from '../agents/rpc.ts'
import { newCaller } from '../caller.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import wire from '../vectors/tools-wire.json'
import { type Instance, openInstance, UNHURRIED } from './instances.ts'
import { type SharedPostgres, sharedPostgres } from './postgres.ts'

const BTC = 'PERP_BTC_USDC'
const FIRST_ID = 5973852953
const CALLER = newCaller()
const ORDER = {
  ...{ symbol: BTC, side: 'BUY', order_type: 'LIMIT' },
  ...{ order_quantity: 0.05, order_price: 60_000 },
}

let postgres: SharedPostgres
let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
let instances: readonly Instance[] = []

beforeAll(async () => {
  ;[postgres, venue] = await Promise.all([
    sharedPostgres(),
    startRecordingUpstream(({ method, target }) => {
      const key = `${method} ${target.split('?')[0]}`
      const json = Object.entries(wire).find(([route]) => route === key)?.[1]
      return json === undefined ? { status: 404, json: {} } : { json }
    }),
  ])
  const shared = { postgres: await postgres.readyDatabase(), venue: venue.url }
  instances = [await openInstance(shared, UNHURRIED), await openInstance(shared, UNHURRIED)]
})
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.stop()))
  await venue.stop()
})

async function place({ get }: Instance, client_order_id: string, changes: object = {}) {
  const { body } = await get('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-account-id': CALLER.accountId,
      'x-trading-key': toHex(CALLER.secret),
    },
    body: JSON.stringify(
      request('tools/call', {
        name: 'place_order',
        arguments: { ...ORDER, client_order_id, ...changes },
      }),
    ),
  })
  return toolText({ result: Object(body['result']) }).value
}

const posted = () => venue.requests.filter(({ method }) => method === 'POST')
const placedOrders = () => posted().filter(({ target }) => target === '/v1/order').length

test('an order of one id is sent once by instances that share PostgreSQL, whichever is asked', async () => {
  const both = await Promise.all(instances.map((instance) => place(instance, 'at-both')))
  expect(placedOrders()).toBe(1)
  expect(both.filter(({ order_id, repeated }) => order_id === FIRST_ID && !repeated)).toHaveLength(
    1,
  )
  for (const instance of instances)
    expect(await place(instance, 'at-both')).toMatchObject({ order_id: FIRST_ID, repeated: true })
  for (const instance of instances) {
    const other = await place(instance, 'at-both', { order_quantity: 0.06 })
    expect(other['code']).toBe('duplicate_request')
  }
  expect(placedOrders()).toBe(1)
  expect(await place(instances.at(-1) as Instance, 'another')).not.toHaveProperty('repeated')
  expect(placedOrders()).toBe(2)
})
