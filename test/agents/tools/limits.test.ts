import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ClientFailure, createClient } from '../../../src/agents/client/client.ts'
import { HTTP_WORDING, type ToolContext } from '../../../src/agents/tool.ts'
import { LIMIT_HEADERS } from '../../../src/contract/agent-limits.ts'
import { signDigest } from '../../../src/core/crypto/wallet-signature.ts'
import { openTemporaryAccount } from '../../../src/operator/account/open.ts'
import { newCaller } from '../../caller.ts'
import { newRecords, openEmbeddedWorld, type ToolWorld, usedToday } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const USDC = 1_000_000n
let world: ToolWorld

beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

async function mark(): Promise<number> {
  return (await world.call('get_market', { symbol: ETH })).market.mark_price
}

describe('get_limits', () => {
  const EVERY = {
    maxOrderUsdc: 50n * USDC,
    maxDailyUsdc: 150_500_000n,
    maxPositionUsdc: 200n * USDC,
    maxLossUsdc: 20n * USDC,
    approveAboveUsdc: 30n * USDC,
    approveAboveDailyUsdc: 600n * USDC,
    maxLeverage: 3,
    maxOrdersPerMinute: 5,
    symbols: [ETH],
    reduceOnly: true,
    readOnly: true,
    onceByClientOrderId: true,
    approveChanges: true,
    expiresAtMs: 1_800_000_000_000,
  }

  test('lists what the wallet of the account has signed, and says who has frozen it', async () => {
    const client = createClient({
      baseUrl: 'http://localhost',
      transport: (request) => world.fetch(request.url.slice('http://localhost'.length), request),
      nowMs: Date.now,
    })
    const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }
    const credentials = await openTemporaryAccount(client, { clock: { nowMs: Date.now }, random })
    const { address, secret } = credentials.wallet
    const limits = { maxOrderUsdc: '250.5', symbols: [ETH], readOnly: false }
    const asked = { kind: 'mandate', chainId: 42_161, address, limits, frozen: true }
    const { message, digest } = Object(await client.post('/api/prep/typed-data', asked))
    const signature = signDigest(Buffer.from(digest.slice(2), 'hex'), secret)
    await client.post('/api/prep/mandate', { message, signature, address })
    expect(await world.call('get_limits', {}, { credentials })).toMatchObject({
      limits: [
        { limit: 'max_order_usdc', setting: 'mandate', max: 250.5 },
        { limit: 'allowed_symbols', setting: 'mandate', allowed: [ETH] },
      ],
      frozen_by: 'wallet',
      next: expect.stringContaining('They bind this service'),
    })
    const others = await world.call('get_limits')
    expect(others).toEqual({ limits: [], next: expect.stringContaining('no limit') })
    const unknown = await world.call('get_limits', {}, { credentials: newCaller() })
    expect(unknown).toMatchObject({ limits: [], mandate: null })
  })

  test('lists every limit with its setting, and what is used and left of those that renew', async () => {
    const records = newRecords()
    const rest = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.04 }
    const price = Math.floor((await mark()) * 0.9)
    const limits = { maxDailyUsdc: 150_500_000n, maxOrdersPerMinute: 3 }
    const { order_id } = await world.call(
      'place_order',
      { ...rest, order_price: price },
      { limits, ...records },
    )
    const used = async (changes: Partial<ToolContext>) =>
      (await world.call('get_limits', {}, { limits, ...records, ...changes })).limits[0].used
    expect(await used({})).toBeCloseTo(price * 0.04, 6)
    await world.call('cancel_order', { order_id, symbol: ETH })
    // What was cancelled unfilled is given back, in every process that shares the file.
    expect(await used({})).toBe(0)
    const { limits: rows, next } = await world.call('get_limits', {}, { limits: EVERY, ...records })
    expect(rows).toEqual([
      { limit: 'max_order_usdc', setting: 'SERVICE_MAX_ORDER_USDC', max: 50 },
      {
        limit: 'max_daily_usdc',
        setting: 'SERVICE_MAX_DAILY_USDC',
        max: 150.5,
        ...{ used: 0, left: 150.5, renews_at: null },
      },
      {
        ...{ limit: 'max_position_usdc', setting: 'SERVICE_MAX_POSITION_USDC', max: 200 },
        ...{ used: 0, left: 200 },
      },
      {
        ...{ limit: 'max_loss_usdc', setting: 'SERVICE_MAX_LOSS_USDC', max: 20 },
        ...{ used: expect.any(Number), left: expect.any(Number) },
      },
      { limit: 'approve_above_usdc', setting: 'SERVICE_APPROVE_ABOVE_USDC', max: 30 },
      {
        limit: 'approve_above_daily_usdc',
        setting: 'SERVICE_APPROVE_ABOVE_DAILY_USDC',
        max: 600,
      },
      { limit: 'max_leverage', setting: 'SERVICE_MAX_LEVERAGE', max: 3, used: 0, left: 3 },
      {
        limit: 'max_orders_per_minute',
        setting: 'SERVICE_MAX_ORDERS_PER_MINUTE',
        max: 5,
        used: 1,
        left: 4,
        renews_at: expect.any(Number),
      },
      { limit: 'allowed_symbols', setting: 'SERVICE_ALLOWED_SYMBOLS', allowed: [ETH] },
      { limit: 'reduce_only', setting: 'SERVICE_REDUCE_ONLY' },
      { limit: 'read_only', setting: 'SERVICE_READ_ONLY' },
      { limit: 'once_by_client_order_id', setting: 'SERVICE_ONCE_BY_CLIENT_ORDER_ID' },
      { limit: 'approve_changes', setting: 'SERVICE_APPROVE_CHANGES' },
      { limit: 'expires_at', setting: 'SERVICE_EXPIRES_AT', max: 1_800_000_000_000 },
    ])
    expect(next).toContain('reduce-only')
  })

  test('says what a position and its leverage use, and unknown where the venue does not answer', async () => {
    const limits = { maxPositionUsdc: 200n * USDC, maxLeverage: 3 }
    const changes = { limits, ...newRecords() }
    const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.02 }
    await world.call('place_order', order, changes)
    const value = (await mark()) * 0.02
    const { limits: rows } = await world.call('get_limits', {}, changes)
    expect(rows[0].used).toBeWithin(value * 0.99, value * 1.01)
    expect(rows[0].left).toBeCloseTo(200 - rows[0].used, 6)
    expect(rows[1]).toMatchObject({ max: 3, used: 0.01, left: 2.99 })
    const away = new ClientFailure({ error: 'Away.', code: 'upstream_unavailable', status: 502 })
    const client = { ...world.client, relay: () => Promise.reject(away) }
    const unknown = await world.call('get_limits', {}, { ...changes, client })
    expect(unknown.limits).toMatchObject([
      { max: 200, used: null, left: null },
      { max: 3, used: null, left: null },
    ])
    await world.call('close_position', { symbol: ETH })
  })

  test('names headers over HTTP, and needs no credentials', async () => {
    const changes = { limits: EVERY, wording: HTTP_WORDING, credentials: null }
    const { limits } = await world.call('get_limits', {}, changes)
    expect(limits.map(({ setting }: { setting: string }) => setting)).toEqual(LIMIT_HEADERS)
  })

  test('is empty where nobody set any', async () => {
    const { limits, next } = await world.call('get_limits')
    expect(limits).toEqual([])
    expect(next).toContain('no limit')
  })
})

test('every answer to an order has what is left of the day, and none where no day is limited', async () => {
  const changes = { limits: { maxDailyUsdc: 1000n * USDC }, ...newRecords() }
  const left = async () => ({
    daily_usdc: 1000 - (await usedToday(world, changes)),
    renews_at: expect.any(Number),
  })
  const price = Math.floor((await mark()) * 0.9)
  const rest = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_price: price }
  const placed = await world.call('place_order', { ...rest, order_quantity: 0.1 }, changes)
  expect(placed.limits_left).toEqual(await left())
  expect(await usedToday(world, changes)).toBeCloseTo(price * 0.1, 6)
  const edited = { order_id: placed.order_id, symbol: ETH, order_quantity: 0.2 }
  const edit = await world.call('edit_order', edited, changes)
  expect(edit.limits_left).toEqual(await left())
  expect(await usedToday(world, changes)).toBeCloseTo(price * 0.2, 6)
  const stop = {
    symbol: ETH,
    side: 'BUY',
    algo_type: 'STOP',
    trigger_price: 3000,
    order_price: 3000,
  }
  const opening = { ...stop, order_quantity: 0.1, reduce_only: false }
  const stopped = await world.call('place_algo_order', opening, changes)
  expect(stopped.limits_left).toEqual(await left())
  const beyond = await world.refused('place_order', { ...rest, order_quantity: 0.3 }, changes)
  const { daily_usdc, renews_at } = stopped.limits_left
  expect(beyond.meta).toMatchObject({ left: daily_usdc, renews_at })
  await world.call('cancel_all_orders')
  const free = await world.call('place_order', { ...rest, order_quantity: 0.1 })
  expect(free).not.toHaveProperty('limits_left')
  await world.call('cancel_all_orders')
})
