import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const BUY = { symbol: ETH, side: 'BUY', order_type: 'MARKET' }
let world: ToolWorld

beforeAll(async () => {
  world = await openEmbeddedWorld({ LIMIT_RELAY: 'off', LIMIT_ACCOUNT: 'off', LIMIT_READ: 'off' })
})
afterAll(() => world.stop())

/** The quantities of the open positions by margin mode. */
async function held(): Promise<Record<string, number>> {
  const { positions } = await world.call('list_positions')
  return Object.fromEntries(
    positions.map((row: Record<string, unknown>) => [row['margin_mode'], row['position_qty']]),
  )
}

describe('a market with a cross and an isolated position', () => {
  beforeEach(async () => {
    await world.call('close_all')
    await world.call('place_order', { ...BUY, order_quantity: 0.01, margin_mode: 'CROSS' })
    await world.call('place_order', { ...BUY, order_quantity: 0.71, margin_mode: 'ISOLATED' })
    expect(await held()).toEqual({ CROSS: 0.01, ISOLATED: 0.71 })
  })

  test('is closed whole by close_position, with one order per position', async () => {
    const { closed, failed } = await world.call('close_position', { symbol: ETH })
    expect(failed).toEqual([])
    expect(closed).toMatchObject([
      { margin_mode: 'CROSS', closing: 0.01, unfilled_quantity: 0 },
      { margin_mode: 'ISOLATED', closing: 0.71, unfilled_quantity: 0 },
    ])
    expect(await held()).toEqual({})
  })

  test('keeps the position of the margin mode that close_position does not name', async () => {
    const closed = await world.call('close_position', { symbol: ETH, margin_mode: 'ISOLATED' })
    expect(closed).toMatchObject({ margin_mode: 'ISOLATED', filled_quantity: 0.71 })
    expect(await held()).toEqual({ CROSS: 0.01 })
  })

  test('is closed whole by close_all', async () => {
    expect((await world.call('close_all')).closed).toHaveLength(2)
    expect(await held()).toEqual({})
  })

  test('is judged by the mode of an order: each reduces its own position only', async () => {
    const sell = { ...BUY, side: 'SELL', reduce_only: true, order_quantity: 0.5 }
    const cross = await world.call('preview_order', { ...sell, margin_mode: 'CROSS' })
    expect(cross.estimate).toMatchObject({ fills_now: 0.01, unfilled: 0.49 })
    const isolated = await world.call('preview_order', { ...sell, margin_mode: 'ISOLATED' })
    expect(isolated).toMatchObject({
      estimate: { fills_now: 0.5, unfilled: 0 },
      account: { position_qty_now: 0.71, position_qty_after: 0.21 },
    })
  })

  test('is not guessed at: protection needs the mode, and a rebalance leaves it to the user', async () => {
    const protection = { symbol: ETH, stop_loss_price: 1000 }
    const failure = await world.refused('set_position_tp_sl', protection)
    expect(failure).toMatchObject({
      code: 'invalid_request',
      meta: { parameter: 'margin_mode', allowed: ['CROSS', 'ISOLATED'] },
    })
    await world.call('set_position_tp_sl', { ...protection, margin_mode: 'ISOLATED' })
    const plan = await world.refused('rebalance', { targets: { [ETH]: 0.1 } })
    expect(plan).toMatchObject({ code: 'invalid_request', meta: { symbol: ETH } })
  })
})
