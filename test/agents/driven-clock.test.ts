import { afterAll, beforeAll, expect, test } from 'bun:test'
import { KEY_LIFE_MS, openTemporaryAccount } from '../../src/operator/account/open.ts'
import { newRecords, openEmbeddedWorld, type ToolWorld } from './tool-world.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const RANDOM = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }

/** The key of its account lives for an hour. */
let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

const USDC = 1_000_000n
const advance = (ms: number) => world.ops(`/venue/advance?ms=${ms}`, { method: 'POST' })

test('a key that a driven clock has outlived is refused by name, and one of a year goes on', async () => {
  const clock = { nowMs: Date.now }
  const yearly = await openTemporaryAccount(world.client, {
    clock,
    random: RANDOM,
    keyLifeMs: KEY_LIFE_MS,
  })
  await advance(59 * MINUTE_MS)
  await world.call('get_account')
  await advance(2 * MINUTE_MS)
  for (const tool of ['get_account', 'cancel_all_orders'])
    expect(await world.refused(tool)).toMatchObject({
      code: 'unauthorized',
      meta: {
        reason: 'key_expired',
        next: expect.stringContaining('the clock of this practice venue'),
      },
    })
  await world.call('get_account', {}, { credentials: yearly })
  const stranger = { ...yearly, accountId: world.credentials.accountId }
  const other = await world.refused('get_account', {}, { credentials: stranger })
  expect(other).toMatchObject({ code: 'unauthorized', meta: { reason: 'credentials' } })
})

test('the day of a limit is 24 hours of a driven clock, after which all of it is there again', async () => {
  const clock = { nowMs: Date.now }
  const credentials = await openTemporaryAccount(world.client, {
    clock,
    random: RANDOM,
    keyLifeMs: KEY_LIFE_MS,
  })
  const changes = { credentials, limits: { maxDailyUsdc: 100n * USDC }, ...newRecords() }
  const call = (name: string, args: object = {}) => world.call(name, args, changes)
  const leftOf = async () => (await call('get_limits')).limits[0].left
  const buy = { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 60 }
  const { now } = await call('get_time')
  await call('place_order', buy)
  await advance(DAY_MS - MINUTE_MS)
  const { meta } = await world.refused('place_order', buy, changes)
  // Values are summed by the minute, which counts until its end.
  const minuteEndMs = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS
  expect(meta).toMatchObject({ reason: 'daily_value', renews_at: minuteEndMs + DAY_MS })
  expect(await leftOf()).toBeLessThan(60)
  await advance(2 * MINUTE_MS)
  expect(await leftOf()).toBe(100)
  await call('place_order', buy)
})
