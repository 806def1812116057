import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ToolContext } from '../../src/agents/tool.ts'
import { newRecords, openEmbeddedWorld, type ToolWorld, writesDuring } from './tool-world.ts'

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

describe('limits of an account', () => {
  const buy = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 100 }

  test('orders of a minute are counted, whatever their value, and reducing ones are not', async () => {
    const changes = { limits: { maxOrdersPerMinute: 2 }, ...newRecords() }
    const order = { ...buy, order_amount: 20 }
    await world.call('place_order', order, changes)
    const { limits_left } = await world.call('place_order', order, changes)
    expect(limits_left).toEqual({ orders: 0 })
    const { meta } = await world.refused('place_order', order, changes)
    expect(meta).toMatchObject({ reason: 'rate', limit: 2, requested: 3, left: 0 })
    await world.call('close_position', { symbol: ETH }, changes)
  })

  test('a leverage above the largest is not set, and positions are held to it', async () => {
    const changes = { limits: { maxLeverage: 1 }, ...newRecords() }
    const writes = await writesDuring(world, async () => {
      const { meta } = await world.refused('set_leverage', { symbol: ETH, leverage: 2 }, changes)
      expect(meta).toMatchObject({ reason: 'leverage', limit: 1, requested: 2 })
      const order = { ...buy, order_amount: 11_000 }
      const failure = await world.refused('place_order', order, changes)
      expect(failure.meta).toMatchObject({ reason: 'leverage', limit: 1 })
    })
    expect(writes).toEqual([])
    await world.call('set_leverage', { symbol: ETH, leverage: 1 }, changes)
    await world.call('set_leverage', { symbol: ETH, leverage: 10 })
  })

  test('a position with its open orders stays within its largest value', async () => {
    const changes = { limits: { maxPositionUsdc: 250n * USDC }, ...moving() }
    const price = Math.floor((await mark()) * 0.9)
    const rest = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_price: price }
    await world.call('place_order', buy, changes)
    await world.call('place_order', { ...rest, order_amount: 100 }, changes)
    const { meta } = await world.refused('place_order', buy, changes)
    expect(meta).toMatchObject({ reason: 'position', limit: 250 })
    await world.call('place_order', { ...buy, symbol: 'PERP_BTC_USDC' }, changes)
    await world.call('cancel_all_orders')
    for (const symbol of [ETH, 'PERP_BTC_USDC']) await world.call('close_position', { symbol })
  })

  test('nothing is opened from a loss on, and everything may be closed', async () => {
    const own = await openEmbeddedWorld()
    const changes = { limits: { maxLossUsdc: 1n }, ...newRecords() }
    await own.call('place_order', { ...buy, order_amount: 5000 }, changes)
    const { meta } = await own.refused('place_order', buy, changes)
    expect(meta).toMatchObject({ reason: 'loss', limit: 0.000001 })
    await own.call('close_position', { symbol: ETH }, changes)
    expect((await own.refused('place_order', buy, changes)).meta).toMatchObject({ reason: 'loss' })
    await own.stop()
  })

  test('only what reduces goes where a person wants no more, or the time is over', async () => {
    await world.call('place_order', buy)
    const over = { expiresAtMs: 1_700_000_000_000 }
    for (const limits of [{ reduceOnly: true }, over]) {
      const reason = 'reduceOnly' in limits ? 'reduce_only' : 'expired'
      const writes = await writesDuring(world, async () => {
        const opening = await world.refused('place_order', buy, { limits })
        expect(opening.meta).toMatchObject({ reason })
        const setting = { symbol: ETH, leverage: 3 }
        expect((await world.refused('set_leverage', setting, { limits })).meta.reason).toBe(reason)
        const preview = await world.call('preview_order', buy, { limits })
        expect(preview.problems).toMatchObject([{ code: 'mandate_exceeded', reason }])
      })
      expect(writes).toEqual([])
      const half = { ...buy, side: 'SELL', order_amount: 40, reduce_only: true }
      await world.call('place_order', half, { limits })
    }
    await world.call('place_order', buy, { limits: { expiresAtMs: 1_700_000_000_001 } })
    await world.call('close_position', { symbol: ETH }, { limits: over })
  })

  test('each order has an id of its caller where a person wants it once', async () => {
    const limits = { onceByClientOrderId: true }
    const failure = await world.refused('place_order', buy, { limits })
    expect(failure.meta).toMatchObject({ parameter: 'client_order_id', reason: 'missing' })
    const named = { ...buy, client_order_id: 'once' }
    await world.call('place_order', named, { limits })
    expect(await world.call('place_order', named, { limits })).toMatchObject({ repeated: true })
    await world.call('close_position', { symbol: ETH })
  })

  test('the tightest holds of what the person and the operator allow', async () => {
    const operatorLimits = { maxOrderUsdc: 50n * USDC }
    const limits = { maxOrderUsdc: 80n * USDC }
    const { meta } = await world.refused('place_order', buy, { limits, operatorLimits })
    expect(meta).toMatchObject({ limit: 50, setting: 'PREPD_AGENT_MAX_ORDER_USDC' })
    const tighter = { limits: { maxOrderUsdc: 40n * USDC }, operatorLimits }
    const failure = await world.refused('place_order', buy, tighter)
    expect(failure.meta).toMatchObject({ limit: 40, setting: 'SERVICE_MAX_ORDER_USDC' })
  })
})

/** Spending under a wall clock that goes on with each look at it. */
function moving(): Partial<ToolContext> {
  let nowMs = 1_700_000_000_000
  return {
    ...newRecords(),
    clock: {
      nowMs: () => {
        nowMs += 1
        return nowMs
      },
    },
  }
}
