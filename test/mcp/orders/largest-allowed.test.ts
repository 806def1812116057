import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Limits } from '../../../src/core/mandate.ts'
import wire from '../../vectors/tools-wire.json'
import { newRecords } from '../tool-world.ts'
import { openWireWorld, type WireWorld } from '../wire-world.ts'

const BTC = 'PERP_BTC_USDC'
const MARKET = { symbol: BTC, side: 'BUY', order_type: 'MARKET', order_quantity: 0.1 }
const USDC = 1_000_000n
/** 3 % over the mark of the wire, 60,210 USDC. */
const WORST = 62_016.3
const TICK = 0.00001
const QUERY = 'POST /v1/public/query'
const POSITIONS = 'GET /v1/positions'

let opened: WireWorld
beforeAll(async () => {
  opened = await openWireWorld()
})
beforeEach(() => opened.instead.clear())
afterAll(() => opened.stop())

function asks(rows: readonly (readonly [price: number, quantity: number])[]): void {
  const levels = rows.map(([price, quantity]) => ({ price: `${price}`, quantity: `${quantity}` }))
  const data = { ...wire[QUERY].data, symbol: BTC, asks: levels }
  opened.instead.set(QUERY, { json: { ...wire[QUERY], data } })
}

async function refusedBy(limits: Limits, args: object = MARKET, records = newRecords()) {
  const failure = await opened.world.refused('place_order', args, { ...records, limits })
  expect(failure.code).toBe('mandate_exceeded')
  return failure.meta
}

describe('a market order that a limit refuses names its worst price and the largest size that goes', () => {
  test.each(['BUY', 'SELL'])('%s: that size goes, and one tick more does not', async (side) => {
    const limits = { maxOrderUsdc: 1234n * USDC }
    const order = { ...MARKET, side }
    const meta = await refusedBy(limits, order)
    const largest = Math.floor(1234 / WORST / TICK) * TICK
    expect(meta).toMatchObject({ reason: 'order_value', fits_usdc: 1234, worst_price: WORST })
    expect(meta.largest_order_quantity).toBeCloseTo(largest, 9)
    expect(meta.next).toContain('send that only if the user says so')
    const above = Number((meta.largest_order_quantity + TICK).toFixed(5))
    await refusedBy(limits, { ...order, order_quantity: above })
    const allowed = { ...order, order_quantity: meta.largest_order_quantity }
    await opened.world.call('place_order', allowed, { ...newRecords(), limits })
  })

  test('by the tightest of all limits, not the one that is named', async () => {
    const records = newRecords()
    const limits = { maxOrderUsdc: 5000n * USDC, maxDailyUsdc: 3000n * USDC }
    const spent = { ...MARKET, order_type: 'LIMIT', order_quantity: 0.01, order_price: 60_000 }
    await opened.world.call('place_order', spent, { ...records, limits })
    const meta = await refusedBy(limits, MARKET, records)
    expect(meta).toMatchObject({ reason: 'order_value', limit: 5000, fits_usdc: 2400 })
    expect(meta.largest_order_quantity).toBe(0.03869)
  })

  test('none where no size of the market goes', async () => {
    const meta = await refusedBy({ maxOrderUsdc: 5n * USDC })
    expect(meta).toMatchObject({ fits_usdc: 5, largest_order_quantity: 0 })
    expect(meta.next).not.toContain('largest_order_quantity')
  })

  test('none where the orders of the minute are used up too', async () => {
    const records = newRecords()
    const limits = { maxOrderUsdc: 1000n * USDC, maxOrdersPerMinute: 1 }
    const small = { ...MARKET, order_quantity: 0.001 }
    await opened.world.call('place_order', small, { ...records, limits })
    const meta = await refusedBy(limits, MARKET, records)
    expect(meta).toMatchObject({ reason: 'order_value', fits_usdc: 0, largest_order_quantity: 0 })
  })

  test('the position of the market counts', async () => {
    const row = { ...wire[POSITIONS].data.rows[0], symbol: BTC, position_qty: 0.05 }
    const data = { ...wire[POSITIONS].data, rows: [row] }
    opened.instead.set(POSITIONS, { json: { ...wire[POSITIONS], data } })
    const limits = { maxPositionUsdc: 6000n * USDC }
    const { reason, requested, fits_usdc } = await refusedBy(limits)
    expect(reason).toBe('position')
    expect(fits_usdc).toBeCloseTo(6000 - (requested - 6201.63), 5)
  })

  test('no price and size where a rate alone refuses', async () => {
    const records = newRecords()
    const limits = { maxOrdersPerMinute: 1 }
    await opened.world.call(
      'place_order',
      { ...MARKET, order_quantity: 0.001 },
      { ...records, limits },
    )
    const meta = await refusedBy(limits, MARKET, records)
    expect(meta.reason).toBe('rate')
    for (const name of ['fits_usdc', 'worst_price', 'largest_order_quantity'])
      expect(meta).not.toHaveProperty(name)
  })
})

describe('a market order that the venue refuses for its price', () => {
  const refuse = () =>
    opened.instead.set('POST /v1/order', {
      status: 400,
      json: { success: false, code: -1103, message: 'any' },
    })

  test('names how far it may go, and what the book held as far as that', async () => {
    asks([
      [60_300, 0.02],
      [62_016.3, 0.03],
      [62_016.4, 9],
    ])
    refuse()
    const { code, meta } = await opened.world.refused('place_order', MARKET, newRecords())
    expect(code).toBe('price_out_of_range')
    expect(meta).toMatchObject({ worst_price: WORST, largest_order_quantity: 0.05 })
    const tighter = { ...MARKET, slippage: 0.001 }
    const slipped = await opened.world.refused('place_order', tighter, newRecords())
    expect(slipped.meta).toMatchObject({ worst_price: 60_360.3, largest_order_quantity: 0.02 })
  })

  test('with an empty book nothing fits; an order with a price of its own gets neither', async () => {
    asks([])
    refuse()
    const { meta } = await opened.world.refused('place_order', MARKET, newRecords())
    expect(meta).toMatchObject({ worst_price: WORST, largest_order_quantity: 0 })
    const limit = { ...MARKET, order_type: 'LIMIT', order_price: 60_000 }
    const priced = await opened.world.refused('place_order', limit, newRecords())
    expect(priced.code).toBe('price_out_of_range')
    expect(priced.meta).not.toHaveProperty('largest_order_quantity')
  })
})
