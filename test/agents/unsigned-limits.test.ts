import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openAgentFile } from '../../src/store/agent-file.ts'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from './tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const SOL = 'PERP_SOL_USDC'
const USDC = 1_000_000n
const BUY = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 100 }

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

const newRecords = () => {
  const { spending, sentOrders } = openAgentFile(':memory:')
  return { spending, sentOrders }
}

describe('stops that wait', () => {
  test('count towards the largest position until they are cancelled, those of other programs too', async () => {
    const { mark_price } = (await world.call('get_market', { symbol: ETH })).market
    const trigger_price = Math.round(mark_price * 10.1) / 10
    const stop = {
      ...{ symbol: ETH, side: 'BUY', algo_type: 'STOP', reduce_only: false, trigger_price },
      order_quantity: Math.floor((400 / mark_price) * 1000) / 1000,
    }
    // Placed by a program without limits.
    await world.call('place_algo_order', stop)
    const changes = () => ({ limits: { maxPositionUsdc: 500n * USDC }, ...newRecords() })
    for (const [name, args] of [
      ['place_algo_order', stop],
      ['place_order', BUY],
    ] as const) {
      const writes = await writesDuring(world, async () => {
        const { code, meta } = await world.refused(name, args, changes())
        expect({ code, reason: meta.reason }).toEqual({
          ...{ code: 'mandate_exceeded', reason: 'position' },
        })
      })
      expect(writes).toEqual([])
    }
    await world.call('place_order', { ...BUY, order_amount: 40 }, changes())
    await world.call('close_position', { symbol: ETH }, changes())
    const { orders } = await world.call('list_algo_orders', { symbol: ETH })
    for (const { algo_order_id } of orders)
      await world.call('cancel_algo_order', { algo_order_id, symbol: ETH }, changes())
    await world.call('place_algo_order', stop, changes())
  })
})

describe('an order in another margin mode than the default of its market', () => {
  const isolated = {
    symbol: SOL,
    side: 'BUY',
    order_type: 'MARKET',
    order_quantity: 0.2,
    margin_mode: 'ISOLATED',
  }

  test('needs the approval of a change, and one in the default mode goes', async () => {
    const limits = { approveChanges: true }
    const writes = await writesDuring(world, async () => {
      const { code } = await world.refused('place_order', isolated, { limits })
      expect(code).toBe('approval_required')
    })
    expect(writes.filter(({ method }) => method !== 'POST')).toEqual([])
    await world.call('place_order', { ...isolated, margin_mode: 'CROSS' }, { limits })
    await world.call('close_position', { symbol: SOL }, { limits })
  })

  test('counts at the leverage of that mode, as a change of the mode does', async () => {
    const limits = { maxLeverage: 2 }
    for (const [name, args] of [
      ['place_order', isolated],
      ['set_margin_mode', { symbol: SOL, margin_mode: 'ISOLATED' }],
    ] as const) {
      const { meta } = await world.refused(name, args, { limits, ...newRecords() })
      expect(meta).toMatchObject({ reason: 'leverage', limit: 2, requested: 10 })
    }
  })
})

test('writes without approval are worth no more in a day than their limit', async () => {
  const changes = { limits: { approveAboveDailyUsdc: 150n * USDC }, ...newRecords() }
  const first = await world.call('place_order', { ...BUY, client_order_id: 'first' }, changes)
  expect(first.order_id).toBeGreaterThan(0)
  // A repeat is the first order and uses nothing.
  await world.call('place_order', { ...BUY, client_order_id: 'first' }, changes)
  await world.call('place_order', { ...BUY, order_amount: 20 }, changes)
  const { code, meta } = await world.refused('place_order', BUY, changes)
  expect(code).toBe('approval_required')
  expect(meta).toMatchObject({ state: 'waiting' })
  await world.call('close_position', { symbol: ETH }, changes)
})
