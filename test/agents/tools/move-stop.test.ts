import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { encode } from 'gpt-tokenizer'
import { type Loose, openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const SOL = 'PERP_SOL_USDC'
const STOP_TOKENS_MAX = 120

const service = await openEmbeddedWorld()
let world: ToolWorld
let mark: number

beforeEach(async () => {
  world = await service.another()
  mark = (await world.call('get_market', { symbol: ETH })).market.mark_price
  const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.2 }
  await world.call('place_order', order)
})
afterAll(() => service.stop())

function at(share: number): number {
  return Math.round(mark * share)
}

async function algos(): Promise<Loose[]> {
  return (await world.call('list_algo_orders', { symbol: ETH })).orders
}

describe('a stop is moved in one write, so that the position is never without it:', () => {
  test('the stop-loss of a position, by the id of its leg or of the whole', async () => {
    const set = await world.call('set_position_tp_sl', { symbol: ETH, stop_loss_price: at(0.9) })
    const [{ child_orders }] = await algos()
    for (const [algo_order_id, share] of [
      [child_orders[0].algo_order_id, 0.95],
      [set.algo_order_id, 0.97],
    ]) {
      const moved = { algo_order_id, symbol: ETH, trigger_price: at(share) }
      const writes = await writesDuring(world, () => world.call('edit_algo_order', moved))
      expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual(['PUT /v1/algo/order'])
      const [{ child_orders: legs }] = await algos()
      expect(legs).toMatchObject([{ algo_type: 'STOP_LOSS', trigger_price: at(share) }])
    }
  })

  test('the stop-loss of a bracket that has filled', async () => {
    const order = { symbol: SOL, side: 'BUY', order_type: 'MARKET', order_quantity: 5 }
    const price = (await world.call('get_market', { symbol: SOL })).market.mark_price
    const bracket = {
      ...order,
      stop_loss: Math.floor(price * 0.9),
      take_profit: Math.ceil(price * 1.2),
    }
    await world.call('place_order', bracket)
    const [{ algo_order_id }] = (await world.call('list_algo_orders', { symbol: SOL })).orders
    const moved = { algo_order_id, symbol: SOL, trigger_price: Math.floor(price * 0.95) }
    const { meta } = await world.refused('edit_algo_order', moved)
    expect(meta).toMatchObject({
      reason: 'conflicting',
      next: expect.stringContaining('name the leg'),
    })
    const stop = meta.legs.find((leg: Loose) => leg.algo_type === 'STOP_LOSS')
    await world.call('edit_algo_order', { ...moved, algo_order_id: stop.algo_order_id })
    const [group] = (await world.call('list_algo_orders', { symbol: SOL })).orders
    expect(group.child_orders.map((leg: Loose) => leg.trigger_price).toSorted()).toEqual(
      [bracket.take_profit, moved.trigger_price].toSorted(),
    )
  })

  test('the trigger, limit and size of a stop of its own', async () => {
    const stop = { symbol: ETH, side: 'SELL', algo_type: 'STOP', order_quantity: 0.1 }
    const prices = { trigger_price: at(0.9), order_price: at(0.89) }
    const { algo_order_id } = await world.call('place_algo_order', { ...stop, ...prices })
    const change = { trigger_price: at(0.95), order_price: at(0.94), order_quantity: 0.2 }
    await world.call('edit_algo_order', { algo_order_id, symbol: ETH, ...change })
    expect(await algos()).toMatchObject([
      { algo_order_id, trigger_price: at(0.95), price: at(0.94), quantity: 0.2 },
    ])
  })

  test('the distance of a trailing stop: the new one waits before the old one is cancelled', async () => {
    const trail = { symbol: ETH, side: 'SELL', algo_type: 'TRAILING_STOP', order_quantity: 0.2 }
    const old = await world.call('place_algo_order', { ...trail, callback_rate: 0.1 })
    const change = { algo_order_id: old.algo_order_id, symbol: ETH, callback_rate: 0.05 }
    const writes = await writesDuring(world, () => world.call('edit_algo_order', change))
    expect(writes.map(({ method }) => method)).toEqual(['POST', 'DELETE'])
    expect(await algos()).toMatchObject([{ callback_rate: 0.05, quantity: 0.2 }])
  })
})

describe('what cannot be moved is refused before anything is sent:', () => {
  test.each([
    ['nothing to change', {}, 'invalid_request'],
    ['beyond the mark, where it would close at once', { trigger_price: 99_999 }, 'invalid_request'],
    ['off the tick', { trigger_price: 1000.0001 }, 'price_out_of_range'],
    ['the size of a leg', { trigger_price: 1000, order_quantity: 0.1 }, 'invalid_request'],
    ['a distance that it does not have', { callback_rate: 0.1 }, 'invalid_request'],
    ['an order of another market', { symbol: SOL, trigger_price: 100 }, 'not_found'],
    ['no such order', { algo_order_id: 1, trigger_price: 1000 }, 'not_found'],
  ])('%s', async (_, change, code) => {
    await world.call('set_position_tp_sl', { symbol: ETH, stop_loss_price: at(0.9) })
    const [{ algo_order_id }] = await algos()
    const writes = await writesDuring(world, async () => {
      const failure = await world.refused('edit_algo_order', {
        algo_order_id,
        symbol: ETH,
        ...change,
      })
      expect(failure.code).toBe(code)
      expect(failure.meta.next).toBeString()
    })
    expect(writes).toEqual([])
  })
})

describe('a second TP/SL', () => {
  test('of the same kind is refused with the edit, which moves it', async () => {
    await world.call('set_position_tp_sl', { symbol: ETH, stop_loss_price: at(0.9) })
    const wanted = { symbol: ETH, stop_loss_price: at(0.95) }
    const writes = await writesDuring(world, async () => {
      const { meta } = await world.refused('set_position_tp_sl', wanted)
      expect(meta.existing).toMatchObject([{ algo_type: 'STOP_LOSS', trigger_price: at(0.9) }])
      const [edit] = meta.edits
      await world.call(edit.tool, edit.arguments)
    })
    expect(writes.map(({ method }) => method)).toEqual(['PUT'])
    const [{ child_orders }] = await algos()
    expect(child_orders).toMatchObject([{ trigger_price: at(0.95) }])
  })

  test('of another kind is refused with what there is', async () => {
    await world.call('set_position_tp_sl', { symbol: ETH, stop_loss_price: at(0.9) })
    const { meta } = await world.refused('set_position_tp_sl', {
      symbol: ETH,
      take_profit_price: at(1.2),
    })
    expect(meta).toMatchObject({
      existing: [{ algo_type: 'STOP_LOSS' }],
      next: expect.stringContaining('place_algo_order'),
    })
    expect(meta).not.toHaveProperty('edits')
  })
})

test('closing a position names the stops that stay, and the calls that cancel them', async () => {
  const stop = {
    symbol: ETH,
    side: 'SELL',
    algo_type: 'STOP',
    order_quantity: 0.1,
    trigger_price: at(0.9),
  }
  const { algo_order_id } = await world.call('place_algo_order', stop)
  const { stops_left, cancels } = await world.call('close_position', { symbol: ETH, percent: 50 })
  expect(stops_left).toEqual([{ algo_order_id, algo_type: 'STOP', trigger_price: at(0.9) }])
  expect(cancels).toHaveLength(1)
  await world.call(cancels[0].tool, cancels[0].arguments)
  expect(await algos()).toEqual([])
  expect(await world.call('close_position', { symbol: ETH })).not.toHaveProperty('stops_left')
})

test('cancel_order with the id of a stop names the call that cancels it, and cancels nothing', async () => {
  const { algo_order_id } = await world.call('set_position_tp_sl', {
    symbol: ETH,
    stop_loss_price: at(0.9),
  })
  const { code, meta } = await world.refused('cancel_order', {
    order_id: algo_order_id,
    symbol: ETH,
  })
  expect(code).toBe('not_found')
  expect(await algos()).toHaveLength(1)
  await world.call(meta.call.tool, meta.call.arguments)
  expect(await algos()).toEqual([])
  const absent = await world.refused('cancel_order', { order_id: 1, symbol: ETH })
  expect(absent.meta).not.toHaveProperty('call')
})

test(`a stop costs at most ${STOP_TOKENS_MAX} tokens in a list`, async () => {
  await world.call('set_position_tp_sl', { symbol: ETH, stop_loss_price: at(0.9) })
  const one = encode(JSON.stringify((await algos())[0])).length
  expect(one).toBeLessThanOrEqual(STOP_TOKENS_MAX)
  const stop = {
    symbol: ETH,
    side: 'SELL',
    algo_type: 'STOP',
    order_quantity: 0.1,
    trigger_price: at(0.9),
    order_price: at(0.89),
    client_order_id: 'my-own-stop-1',
  }
  await world.call('place_algo_order', stop)
  expect(encode(JSON.stringify((await algos())[0])).length).toBeLessThanOrEqual(STOP_TOKENS_MAX)
})
