import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld } from '../agents/tool-world.ts'
import { jsonPost } from '../caller.ts'

const ETH = 'PERP_ETH_USDC'
const KEY = 'the-operator-key-of-the-test-of-latency'
const LATENCY = { VENUE_LATENCY: 'feed=300,entry=40/10,answer=25', OPERATOR_KEY: KEY }

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld(LATENCY)
})
afterAll(() => world.stop())

const nowMs = async () => (await world.call('get_time')).now
const read = () => world.client.relay(world.credentials, { method: 'GET', path: '/v1/positions' })

async function command(name: string, parameters: object): Promise<void> {
  const { headers, ...post } = jsonPost(parameters)
  const bearing = { ...Object(headers), authorization: `Bearer ${KEY}` }
  const { status } = await world.fetch(`/api/admin/venue/${name}`, { ...post, headers: bearing })
  expect(status).toBe(200)
}

/** How much of the venue's time passes during a call. */
async function tookMs(call: () => Promise<unknown>): Promise<number> {
  const beganMs = await nowMs()
  await call()
  return (await nowMs()) - beganMs
}

test('a call moves a virtual clock by its way there and back, and those at once by the longest', async () => {
  const alone = await tookMs(read)
  expect(alone).toBeWithin(35, 115)
  const together = await tookMs(() => Promise.all([read(), read(), read()]))
  expect(together).toBeWithin(35, 150)
})

test('an order is stamped when it arrives, and its caller knows later', async () => {
  const beganMs = await nowMs()
  const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 100 }
  const body = JSON.stringify(order)
  const answer = await world.client.consented(world.credentials, {
    method: 'POST',
    path: '/v1/order',
    body,
  })
  const path = `/v1/order/${Object(answer).order_id}`
  const endedMs = await nowMs()
  const { created_time } = Object(
    await world.client.relay(world.credentials, { method: 'GET', path }),
  )
  expect(created_time).toBeGreaterThan(beganMs)
  expect(created_time).toBe(endedMs - 25)
})

test('a delay that is laid passes on the clock of the venue', async () => {
  const usual = await tookMs(read)
  await command('faults/add', { kind: 'delay', ms: '5000', count: '1' })
  expect(await tookMs(read)).toBeGreaterThan(usual + 4800)
})

test('nothing is under way where it is off, and a way that is no number is refused', async () => {
  const quick = await openEmbeddedWorld()
  const before = (await quick.call('get_time')).now
  await quick.call('get_account')
  expect((await quick.call('get_time')).now).toBe(before)
  await quick.stop()
  await expect(openEmbeddedWorld({ VENUE_LATENCY: 'entry=fast' })).rejects.toThrow('VENUE_LATENCY')
})
