import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
let world: ToolWorld

beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

async function mark(): Promise<number> {
  return (await world.call('get_market', { symbol: ETH })).market.mark_price
}

test('a market is found, previewed, ordered in, edited, cancelled, bought, closed and read back', async () => {
  const { markets } = await world.call('list_markets', { search: 'eth', limit: 1 })
  expect(markets[0].symbol).toBe(ETH)
  const price = Math.floor((await mark()) * 0.95 * 100) / 100
  const asked = {
    symbol: ETH,
    side: 'BUY',
    order_type: 'LIMIT',
    order_amount: 100,
    order_price: price,
  }
  const preview = await world.call('preview_order', asked)
  expect(preview).toMatchObject({ ok: true, problems: [], estimate: { fills_now: 0 } })

  const placed = await world.call('place_order', preview.suggested)
  expect(placed.client_order_id).toMatch(/^agent-[0-9a-f]{24}$/)
  const { order_id } = placed
  expect(await world.call('get_order', { order_id })).toMatchObject({ status: 'NEW', price })
  const { orders } = await world.call('list_orders', { symbol: 'eth' })
  expect(orders).toMatchObject([{ order_id, client_order_id: placed.client_order_id }])

  const edited = await world.call('edit_order', { order_id, symbol: ETH, order_price: price - 1 })
  expect(edited).toMatchObject({ status: 'EDIT_SENT', order_price: price - 1 })
  expect(await world.call('get_order', { order_id })).toMatchObject({ price: price - 1 })
  await world.call('cancel_order', { order_id, symbol: ETH })
  expect(await world.call('list_orders')).toMatchObject({ orders: [], total: 0 })
  const again = await world.refused('cancel_order', { order_id, symbol: ETH })
  expect(again).toMatchObject({ code: 'not_found', retryable: false })
  expect(again.meta.next).toContain('get_order')

  await world.call('place_order', {
    symbol: ETH,
    side: 'BUY',
    order_type: 'MARKET',
    order_amount: 500,
  })
  const [held] = (await world.call('list_positions')).positions
  expect(held.notional).toBeWithin(490, 501)
  const half = await world.call('close_position', { symbol: ETH, percent: 50 })
  expect(half.closing).toBeLessThanOrEqual(held.position_qty / 2)
  await world.call('close_position', { symbol: ETH })
  expect(await world.call('list_positions')).toMatchObject({ positions: [] })
  expect((await world.call('list_fills')).fills).toMatchObject([
    { side: 'SELL' },
    { side: 'SELL' },
    { side: 'BUY' },
  ])
  const history = await world.call('list_account_history', { kind: 'closed_positions' })
  expect(history.rows).toMatchObject([{ symbol: ETH }])
})

test('too little margin says what the order is worth, and how to send USDC instead', async () => {
  const args = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 200 }
  const failure = await world.refused('place_order', args)
  expect(failure).toMatchObject({ code: 'insufficient_margin', retryable: false })
  expect(failure.meta.value_usdc).toBeGreaterThan(400_000)
  expect(failure.meta.if_usdc_was_meant).toMatchObject({ symbol: ETH, order_amount: 200 })
  expect(await world.call('list_positions')).toMatchObject({ positions: [] })
})

test('too much of a coin below one USDC is not answered with as many USDC', async () => {
  const symbol = 'PERP_DOGE_USDC'
  const { market } = await world.call('get_market', { symbol })
  const order_price = Number((market.mark_price * 0.99).toFixed(4))
  expect(order_price).toBeLessThan(1)
  await world.call('set_leverage', { symbol, leverage: 1 })
  const order_quantity = Math.round(20_000 / order_price)
  const order = { symbol, side: 'BUY', order_type: 'LIMIT', order_quantity, order_price }
  const { code, meta } = await world.refused('place_order', order)
  expect([code, meta.next]).toEqual([
    'insufficient_margin',
    expect.stringContaining('smaller size'),
  ])
  expect(meta).not.toHaveProperty('if_usdc_was_meant')
})

test('without credentials nothing is signed, and an order can be previewed', async () => {
  const writes = await writesDuring(world, async () => {
    const failure = await world.refused('get_account', {}, { credentials: null })
    expect(failure).toMatchObject({ code: 'unauthorized', retryable: false })
    const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 50 }
    expect((await world.refused('place_order', order, { credentials: null })).code).toBe(
      'unauthorized',
    )
    const preview = await world.call('preview_order', order, { credentials: null })
    expect(preview).toMatchObject({ ok: true, account: null })
  })
  expect(writes).toEqual([])
})

test('a position that is not there is not closed', async () => {
  const writes = await writesDuring(world, async () => {
    const failure = await world.refused('close_position', { symbol: 'PERP_SOL_USDC' })
    expect(failure).toMatchObject({ code: 'not_found', meta: { open_positions: [] } })
  })
  expect(writes).toEqual([])
})

test('a position is protected, a stop waits, and both are listed until they are cancelled', async () => {
  await world.call('place_order', {
    symbol: ETH,
    side: 'BUY',
    order_type: 'MARKET',
    order_amount: 100,
  })
  const below = Math.floor((await mark()) * 0.8)
  await world.call('set_position_tp_sl', { symbol: ETH, stop_loss_price: below })
  const again = await world.refused('set_position_tp_sl', { symbol: ETH, stop_loss_price: below })
  expect(again.code).toBe('duplicate_request')
  expect(again.meta.edits).toMatchObject([{ tool: 'edit_algo_order' }])
  const stop = await world.call('place_algo_order', {
    ...{ symbol: ETH, side: 'SELL', algo_type: 'STOP', order_quantity: 0.03 },
    trigger_price: below,
  })
  const { orders } = await world.call('list_algo_orders', { symbol: ETH })
  expect(orders).toMatchObject([
    { algo_order_id: stop.algo_order_id, algo_type: 'STOP', is_triggered: 'false' },
    { algo_type: 'POSITIONAL_TP_SL', child_orders: [{ trigger_price: below }] },
  ])
  await world.call('cancel_algo_order', { symbol: ETH, algo_order_id: stop.algo_order_id })
  await world.call('close_position', { symbol: ETH })
  expect((await world.call('list_algo_orders', {})).orders).toEqual([])
})
