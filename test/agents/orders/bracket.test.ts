import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  type Loose,
  newRecords,
  openEmbeddedWorld,
  type ToolWorld,
  usedToday,
  writesDuring,
} from '../tool-world.ts'
import { openWireWorld, SAME_IDS } from '../wire-world.ts'

const ETH = 'PERP_ETH_USDC'
const service = await openEmbeddedWorld()
let world: ToolWorld
let mark: number

beforeEach(async () => {
  world = await service.another()
  mark = (await world.call('get_market', { symbol: ETH })).market.mark_price
})
afterAll(() => service.stop())

/** A price on the market's tick, as a share of the mark. */
function at(share: number): number {
  return Math.round(mark * share)
}

async function algos(): Promise<Loose[]> {
  return (await world.call('list_algo_orders', { symbol: ETH })).orders
}

const buy = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.5 }

describe('an order with a take-profit and a stop-loss', () => {
  test('at the market opens, and both close what it opened', async () => {
    const asked = { ...buy, take_profit: at(1.1), stop_loss: at(0.9) }
    const preview = await world.call('preview_order', asked)
    expect(preview).toMatchObject({ ok: true, suggested: asked })
    const placed = await world.call('place_order', preview.suggested)
    expect(placed).toMatchObject({ status: 'FILLED', filled_quantity: 0.5, unfilled_quantity: 0 })
    expect(placed).not.toHaveProperty('order_id')
    expect(placed.average_price).toBeWithin(mark * 0.99, mark * 1.01)
    const [group] = await algos()
    expect(group).toMatchObject({ algo_type: 'TP_SL', quantity: 0.5 })
    expect(group.child_orders).toMatchObject([
      { algo_type: 'TAKE_PROFIT', side: 'SELL', trigger_price: at(1.1), reduce_only: true },
      { algo_type: 'STOP_LOSS', side: 'SELL', trigger_price: at(0.9), reduce_only: true },
    ])
    expect(await world.call('list_positions')).toMatchObject({
      positions: [{ symbol: ETH, position_qty: 0.5 }],
    })
  })

  test('leaves the protection of a position that was there before as it is', async () => {
    await world.call('place_order', buy)
    await world.call('set_position_tp_sl', { symbol: ETH, stop_loss_price: at(0.8) })
    await world.call('place_order', { ...buy, stop_loss: at(0.9) })
    const types = (await algos()).map(({ algo_type, quantity }) => [algo_type, quantity])
    expect(types).toEqual([
      ['TP_SL', 0.5],
      ['POSITIONAL_TP_SL', expect.anything()],
    ])
  })

  test('at a limit rests with both, and is cancelled with both', async () => {
    const limit = { ...buy, order_type: 'LIMIT', order_price: at(0.95) }
    const placed = await world.call('place_order', { ...limit, stop_loss: at(0.9) })
    expect(placed).toMatchObject({ status: 'NEW', filled_quantity: 0 })
    expect(await algos()).toMatchObject([
      { algo_order_id: placed.algo_order_id, algo_type: 'BRACKET' },
    ])
    await world.call('cancel_algo_order', { algo_order_id: placed.algo_order_id, symbol: ETH })
    expect(await algos()).toEqual([])
    expect((await world.call('list_orders')).orders).toEqual([])
  })

  test('sent again with its id is the first order, and another content is refused', async () => {
    const mine = { ...buy, stop_loss: at(0.9), client_order_id: 'bracket-1' }
    const first = await world.call('place_order', mine)
    const writes = await writesDuring(world, async () => {
      const again = await world.call('place_order', mine)
      expect(again).toMatchObject({ algo_order_id: first.algo_order_id, repeated: true })
      const { stop_loss: _, ...plain } = mine
      expect((await world.refused('place_order', plain)).code).toBe('duplicate_request')
    })
    expect(writes).toEqual([])
  })

  test('counts once towards the limits: both only reduce', async () => {
    const records = newRecords()
    const limits = { maxOrderUsdc: 200_000_000n, maxDailyUsdc: 200_000_000n }
    const asked = { ...buy, stop_loss: at(0.9), take_profit: at(1.1) }
    const writes = await writesDuring(world, async () => {
      const failure = await world.refused('place_order', asked, { limits, ...records })
      expect(failure.code).toBe('mandate_exceeded')
    })
    expect(writes).toEqual([])
    await world.call('place_order', { ...asked, order_quantity: 0.05 }, { limits, ...records })
    expect(await usedToday(world, records)).toBeWithin(0.05 * mark * 1.029, 0.05 * mark * 1.05)
  })
})

describe('what makes no bracket is refused before anything is signed', () => {
  test.each([
    ['a stop-loss above the entry of a long', { stop_loss: 1.05 }, 'stop_loss'],
    ['a take-profit below the entry of a long', { take_profit: 0.95 }, 'take_profit'],
    ['a stop-loss below the entry of a short', { side: 'SELL', stop_loss: 0.95 }, 'stop_loss'],
    [
      'a type the venue has no bracket for',
      { order_type: 'IOC', order_price: 1, stop_loss: 0.9 },
      'order_type',
    ],
    ['an order that only reduces', { reduce_only: true, stop_loss: 0.9 }, 'reduce_only'],
    ['a slippage', { slippage: 0.01, stop_loss: 0.9 }, 'slippage'],
  ])('%s', async (_, args: Loose, parameter) => {
    const { take_profit, stop_loss, order_price, ...rest } = args
    const prices = Object.entries({ take_profit, stop_loss, order_price })
    const given = prices.filter(([, share]) => share).map(([name, share]) => [name, at(share)])
    const asked = { ...buy, ...rest, ...Object.fromEntries(given) }
    const writes = await writesDuring(world, async () => {
      for (const tool of ['preview_order', 'place_order']) {
        const { code, meta } = await world.refused(tool, asked)
        expect([tool, code, meta.parameter]).toEqual([tool, 'invalid_request', parameter])
      }
    })
    expect(writes).toEqual([])
  })

  test('swapped triggers are a question to the user', async () => {
    const swapped = { ...buy, take_profit: at(0.9), stop_loss: at(1.1) }
    const { meta } = await world.refused('place_order', swapped)
    expect(meta).not.toHaveProperty('suggested')
    expect(meta.next).toContain('ask the user whether they are exchanged')
  })

  test('a trigger off the tick is suggested on the step that is nearer to the price, unless there is none', async () => {
    const off = await world.refused('place_order', { ...buy, stop_loss: at(0.9) - 0.00001 })
    expect(off).toMatchObject({ code: 'price_out_of_range', meta: { parameter: 'stop_loss' } })
    expect(off.meta.suggested.stop_loss).toBe(at(0.9))
    const profit = await world.refused('place_order', { ...buy, take_profit: at(1.1) + 0.00001 })
    expect(profit.meta.suggested.take_profit).toBe(at(1.1))
    const { meta } = await world.refused('place_order', { ...buy, stop_loss: 0.00001 })
    expect(meta).toMatchObject({
      rule: 'quote_tick',
      next: expect.stringContaining('ask the user'),
    })
    expect(meta).not.toHaveProperty('suggested')
  })

  test('a limit that trades at once is compared with the mark, at which it fills', async () => {
    const limit = { ...buy, order_type: 'LIMIT', order_price: at(1.02) }
    const { meta } = await world.refused('place_order', { ...limit, stop_loss: at(1.01) })
    expect(meta).toMatchObject({ parameter: 'stop_loss', entry_price: mark })
  })
})

test('a venue without conditional orders takes no bracket, and says so; one that answers nothing is looked up', async () => {
  const wire = await openWireWorld()
  const order = { symbol: 'PERP_BTC_USDC', side: 'BUY', order_type: 'MARKET', order_quantity: 0.1 }
  const bracket = { ...order, stop_loss: 55_000 }
  const POST = 'POST /v1/algo/order'
  wire.instead.set(POST, { status: 404, json: { success: false, code: -1006 } })
  const none = await wire.world.refused('place_order', bracket, SAME_IDS)
  expect(none).toMatchObject({ code: 'not_found' })
  expect(none.meta.next).toContain('lacks algo orders')
  wire.instead.set(POST, { status: 500, json: { success: false, code: -1000 } })
  const lost = await wire.world.refused('place_order', bracket, SAME_IDS)
  expect(lost).toMatchObject({ code: 'outcome_unknown' })
  expect(lost.meta.look_up).toEqual({
    tool: 'list_orders',
    arguments: { client_order_id: lost.meta.client_order_id, symbol: 'PERP_BTC_USDC' },
  })
  await wire.stop()
})

test('cancelling everything takes conditional orders too, unless they are to stay', async () => {
  await world.call('place_order', { ...buy, stop_loss: at(0.9) })
  const kept = await world.call('cancel_all_orders', { symbol: ETH, include_algo: false })
  expect(kept).toMatchObject({ algo_orders: 'kept' })
  expect(await algos()).toHaveLength(1)
  await world.call('cancel_all_orders', { symbol: ETH })
  expect(await algos()).toEqual([])
  expect((await world.call('list_positions')).positions).toHaveLength(1)
})
