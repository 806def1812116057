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
const CONDITIONAL = 'GET /v1/algo/orders'

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
    const waiting = { rows: [], meta: { total: 0, records_per_page: 500, current_page: 1 } }
    opened.instead.set(CONDITIONAL, { json: { ...wire[POSITIONS], data: waiting } })
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

describe('the preview of an order that a limit refuses names the same, and sends nothing', () => {
  async function previewed(limits: Limits, order = MARKET, records = newRecords()) {
    const { problems, next, suggested } = await opened.world.call('preview_order', order, {
      ...records,
      limits,
    })
    expect(suggested).toBeUndefined()
    return { problem: problems.at(0), next }
  }

  test.each(['BUY', 'SELL'])('%s: as place_order, for each limit of value', async (side) => {
    const limits = { maxOrderUsdc: 1234n * USDC, maxDailyUsdc: 1000n * USDC }
    const order = { ...MARKET, side }
    const { fits_usdc, worst_price, largest_order_quantity } = await refusedBy(limits, order)
    expect(fits_usdc).toBe(1000)
    const { problem, next } = await previewed(limits, order)
    expect(problem).toMatchObject({ code: 'mandate_exceeded', reason: 'order_value' })
    expect(problem).toMatchObject({ fits_usdc, worst_price, largest_order_quantity })
    expect(next).toContain('send that only if the user says so')
  })

  test('none where no size of the market goes, and no word of sending it', async () => {
    const { problem, next } = await previewed({ maxOrderUsdc: 5n * USDC })
    expect(problem).toMatchObject({ fits_usdc: 5, largest_order_quantity: 0 })
    expect(next).not.toContain('largest_order_quantity')
  })

  test('nothing where orders may not be opened at all, or are too many of a minute alone', async () => {
    const records = newRecords()
    const limits = { maxOrdersPerMinute: 1 }
    const small = { ...MARKET, order_quantity: 0.001 }
    await opened.world.call('place_order', small, { ...records, limits })
    for (const limited of [{ ...limits }, { maxOrderUsdc: USDC, reduceOnly: true }]) {
      const { problem } = await previewed(limited, MARKET, records)
      for (const name of ['fits_usdc', 'worst_price', 'largest_order_quantity'])
        expect(problem).not.toHaveProperty(name)
    }
  })
})

describe('an edit that a limit refuses names its worst price and the largest whole size that goes', () => {
  const ROUTE = 'GET /v1/order/5973852953'
  const grown = { order_id: 5973852953, symbol: BTC, order_quantity: 0.06 }

  function rests(changes: object): void {
    const data = { ...wire[ROUTE].data, side: 'BUY', price: 60_000, ...changes }
    opened.instead.set(ROUTE, { json: { ...wire[ROUTE], data } })
  }

  async function refusedEdit(limits: Limits, edit: object = grown, records = newRecords()) {
    const failure = await opened.world.refused('edit_order', edit, { ...records, limits })
    expect(failure.code).toBe('mandate_exceeded')
    return failure.meta
  }

  test('that size goes, and one tick more does not', async () => {
    rests({})
    const limits = { maxOrderUsdc: 3456n * USDC }
    const meta = await refusedEdit(limits)
    expect(meta).toMatchObject({ reason: 'order_value', fits_usdc: 3456, worst_price: 60_000 })
    expect(meta.largest_order_quantity).toBe(0.0576)
    expect(meta.next).toContain('send that only if the user says so')
    await refusedEdit(limits, { ...grown, order_quantity: 0.05761 })
    const allowed = { ...grown, order_quantity: 0.0576 }
    await opened.world.call('edit_order', allowed, { ...newRecords(), limits })
  })

  test('of the day only its growth counts: what is left of it goes on top of what rests', async () => {
    rests({})
    const limits = { maxDailyUsdc: 300n * USDC }
    const meta = await refusedEdit(limits)
    expect(meta).toMatchObject({ reason: 'daily_value', fits_usdc: 3300 })
    expect(meta.largest_order_quantity).toBe(0.055)
    const records = newRecords()
    const allowed = { ...grown, order_quantity: 0.055 }
    await opened.world.call('edit_order', allowed, { ...records, limits })
  })

  test('where it may not grow at all, the size that it has', async () => {
    rests({})
    const { fits_usdc, largest_order_quantity } = await refusedEdit({ maxOrderUsdc: 1000n * USDC })
    expect({ fits_usdc, largest_order_quantity }).toEqual({
      fits_usdc: 1000,
      largest_order_quantity: 0.05,
    })
  })

  test('what has been filled stays at the price of before', async () => {
    rests({ executed: 0.04, total_executed_quantity: 0.04 })
    const limits = { maxOrderUsdc: 3100n * USDC }
    const edit = { ...grown, order_price: 55_000 }
    const meta = await refusedEdit(limits, edit)
    // 0.05 counts 3,000 at 60,000; the rest of 0.01 may become (600 + 100) / 55,000.
    expect(meta).toMatchObject({ worst_price: 55_000, largest_order_quantity: 0.05272 })
    await refusedEdit(limits, { ...edit, order_quantity: 0.05273 })
    const allowed = { ...edit, order_quantity: 0.05272 }
    await opened.world.call('edit_order', allowed, { ...newRecords(), limits })
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
