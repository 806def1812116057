import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
let world: ToolWorld

beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

/** What the user is asked, and nothing is suggested. */
const QUESTION = { next: expect.stringContaining('Ask the user'), parameter: 'order_price' }

describe('what is wrong is refused before anything is signed', () => {
  const order = {
    symbol: ETH,
    side: 'BUY',
    order_type: 'LIMIT',
    order_quantity: 0.1,
    order_price: 2500,
  }
  test.each([
    ['another symbol', { symbol: 'eth' }, 'not_found', { suggestion: ETH }],
    ['a slip of the keys', { symbol: 'PERP_ETHH_USDC' }, 'not_found', { near: [ETH] }],
    [
      'a size off its step',
      { order_quantity: 0.12345 },
      'size_out_of_range',
      { suggested: { order_quantity: 0.1234 } },
    ],
    [
      'a price off its step',
      { order_price: 2500.001 },
      'price_out_of_range',
      { suggested: { order_price: 2500 } },
    ],
    [
      'too little value',
      { order_quantity: 0.001 },
      'notional_too_small',
      { smallest: { order_quantity: 0.004, value_usdc: 10 } },
    ],
    [
      'too large a size',
      { order_quantity: 1000 },
      'size_out_of_range',
      { suggested: { order_quantity: 250 } },
    ],
    [
      'no price',
      { order_price: null },
      'invalid_request',
      { parameter: 'order_price', mark_price: expect.any(Number) },
    ],
    [
      'a market order with a price',
      { order_type: 'MARKET' },
      'invalid_request',
      { suggested: { order_type: 'IOC' } },
    ],
    ['a best price with a price', { order_type: 'ASK' }, 'invalid_request', QUESTION],
    ['two sizes', { order_amount: 50 }, 'invalid_request', { parameter: 'order_amount' }],
    ['no size', { order_quantity: null }, 'invalid_request', { parameter: 'order_quantity' }],
    ['leverage', { leverage: 10 }, 'invalid_request', { parameter: 'leverage' }],
    [
      'another name of the size',
      { order_quantity: null, quantity: 1 },
      'invalid_request',
      { rename_to: 'order_quantity' },
    ],
    [
      'an id that is none',
      { client_order_id: '-x' },
      'invalid_request',
      { parameter: 'client_order_id' },
    ],
    [
      'percent for a fraction',
      { order_type: 'MARKET', order_price: null, slippage: 0.5 },
      'invalid_request',
      { parameter: 'slippage', maximum: 0.1 },
    ],
    ['more shown than there is', { visible_quantity: 1 }, 'invalid_request', { suggestion: 0.1 }],
  ])('%s', async (_, change, code, meta) => {
    const writes = await writesDuring(world, async () => {
      const failure = await world.refused('place_order', { ...order, ...change })
      expect(failure).toMatchObject({ code, retryable: false })
      expect(failure.meta).toMatchObject({ next: expect.any(String), ...meta })
      if (meta === QUESTION) expect(failure.meta).not.toHaveProperty('suggested')
    })
    expect(writes).toEqual([])
  })

  test('edits too', async () => {
    const { order_id } = await world.call('place_order', { ...order, order_price: 2300 })
    const writes = await writesDuring(world, async () => {
      const off = await world.refused('edit_order', {
        order_id,
        symbol: ETH,
        order_price: 2300.001,
      })
      expect(off.meta.suggested).toEqual({
        order_id,
        symbol: ETH,
        order_price: 2300,
        order_quantity: 0.1,
      })
      const other = await world.refused('edit_order', {
        order_id,
        symbol: 'PERP_BTC_USDC',
        order_price: 2300,
      })
      expect(other.meta).toMatchObject({ order_symbol: ETH })
      expect(other.meta).not.toHaveProperty('suggestion')
      expect((await world.refused('edit_order', { order_id, symbol: ETH })).meta.parameter).toBe(
        'order_price',
      )
    })
    expect(writes).toEqual([])
    await world.call('cancel_all_orders', { symbol: ETH })
  })
})
