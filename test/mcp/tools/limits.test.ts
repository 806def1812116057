import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createDailySpend } from '../../../src/mcp/limits.ts'
import { HTTP_WORDING } from '../../../src/mcp/tool.ts'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

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
    readOnly: true,
    maxOrderUsdc: 50n * USDC,
    maxDailyUsdc: 150_500_000n,
    allowedSymbols: [ETH],
  }

  test('lists every limit with its setting, and of the day what is used, left, and when it renews', async () => {
    const daily = createDailySpend({ nowMs: () => Date.UTC(2026, 0, 1, 23) })
    daily.reserve(100_250_000n)
    expect(await world.call('get_limits', {}, { limits: EVERY, daily })).toEqual({
      limits: [
        { limit: 'max_order_usdc', setting: 'SERVICE_MAX_ORDER_USDC', max: 50 },
        {
          limit: 'max_daily_usdc',
          setting: 'SERVICE_MAX_DAILY_USDC',
          max: 150.5,
          used: 100.25,
          left: 50.25,
          renews_at: Date.UTC(2026, 0, 2),
        },
        { limit: 'allowed_symbols', setting: 'SERVICE_ALLOWED_SYMBOLS', allowed: [ETH] },
        { limit: 'read_only', setting: 'SERVICE_READ_ONLY' },
      ],
      next: expect.stringContaining('reduce-only'),
    })
  })

  test('names headers over HTTP, where no day is counted, and needs no credentials', async () => {
    const changes = { limits: EVERY, wording: HTTP_WORDING, credentials: null }
    const { limits } = await world.call('get_limits', {}, changes)
    expect(limits.map(({ setting }: { setting: string }) => setting)).toEqual([
      'x-max-order-usdc',
      'x-allowed-symbols',
      'x-read-only',
    ])
  })

  test('is empty where nobody set any', async () => {
    const { limits, next } = await world.call('get_limits')
    expect(limits).toEqual([])
    expect(next).toContain('no limit')
  })
})

test('every answer to an order has what is left of the day, and none where no day is limited', async () => {
  const limits = { readOnly: false, maxDailyUsdc: 1000n * USDC }
  const daily = createDailySpend({ nowMs: () => 0 })
  const left = () => ({
    daily_usdc: Number(1000n * USDC - daily.spent()) / 1e6,
    renews_at: 86_400_000,
  })
  const price = Math.floor((await mark()) * 0.9)
  const rest = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_price: price }
  const changes = { limits, daily }
  const placed = await world.call('place_order', { ...rest, order_quantity: 0.1 }, changes)
  expect(placed.limits_left).toEqual(left())
  expect(daily.spent()).toBe(BigInt(price) * 100_000n)
  const edited = { order_id: placed.order_id, symbol: ETH, order_quantity: 0.2 }
  const edit = await world.call('edit_order', edited, changes)
  expect(edit.limits_left).toEqual(left())
  expect(daily.spent()).toBe(BigInt(price) * 200_000n)
  const stop = { symbol: ETH, side: 'BUY', algo_type: 'STOP', trigger_price: 3000 }
  const opening = { ...stop, order_quantity: 0.1, reduce_only: false }
  expect((await world.call('place_algo_order', opening, changes)).limits_left).toEqual(left())
  const beyond = await world.refused('place_order', { ...rest, order_quantity: 0.3 }, changes)
  expect(beyond.meta).toMatchObject({ left: left().daily_usdc, renews_at: 86_400_000 })
  await world.call('cancel_all_orders')
  const free = await world.call('place_order', { ...rest, order_quantity: 0.1 })
  expect(free).not.toHaveProperty('limits_left')
  await world.call('cancel_all_orders')
})
