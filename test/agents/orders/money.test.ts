import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import wire from '../../vectors/tools-wire.json'
import { newRecords, usedToday } from '../tool-world.ts'
import { openWireWorld, type WireWorld } from '../wire-world.ts'

const BTC = 'PERP_BTC_USDC'
/** The mark of the wire is 60,210 USDC; the order below is worth 6,000 to the micro. */
const ORDER = {
  symbol: BTC,
  side: 'BUY',
  order_type: 'LIMIT',
  order_quantity: 0.1,
  order_price: 60000,
}

const SMALL = { ...ORDER, order_quantity: 0.001 }
/** Reads the book. */
const BOOK = '/v1/public/query'

let opened: WireWorld

beforeAll(async () => {
  opened = await openWireWorld()
})
beforeEach(() => opened.instead.clear())
afterAll(() => opened.stop())

/** The refusal of a tool, which wrote nothing to the venue. */
async function heldBack(tool: string, args: object, changes: object) {
  const { venue, world } = opened
  const from = venue.requests.length
  const failure = await world.refused(tool, args, changes)
  const writes = venue.requests
    .slice(from)
    .filter(({ method, target }) => method !== 'GET' && target !== BOOK)
  expect(writes.map(({ target }) => target)).toEqual([])
  return failure
}

describe('an order of exactly the limit goes, and a micro-USDC less holds it back', () => {
  test('of one order', async () => {
    const at = (maxOrderUsdc: bigint) => ({ limits: { maxOrderUsdc } })
    const failure = await heldBack('place_order', ORDER, at(5_999_999_999n))
    expect(failure).toMatchObject({ code: 'mandate_exceeded', meta: { limit: 5999.999999 } })
    expect(failure.meta.requested).toBe(6000)
    const placed = await opened.world.call('place_order', ORDER, at(6_000_000_000n))
    expect(placed.value_usdc).toBe(6000)
  })

  test('of a day, with what was spent before', async () => {
    const records = newRecords()
    const at = (maxDailyUsdc: bigint) => ({ ...records, limits: { maxDailyUsdc } })
    await opened.world.call('place_order', SMALL, at(60_000_000n))
    const failure = await heldBack('place_order', ORDER, at(6_059_999_999n))
    expect(failure).toMatchObject({ code: 'mandate_exceeded', meta: { requested: 6060 } })
    expect(await usedToday(opened.world, records)).toBe(60)
    await opened.world.call('place_order', ORDER, at(6_060_000_000n))
    expect(await usedToday(opened.world, records)).toBe(6060)
  })
})

test.each(['BUY', 'SELL'])(
  'a market order (%s) counts at the highest price that the venue may fill it at',
  async (side) => {
    const order = { symbol: BTC, side, order_type: 'MARKET', order_quantity: 0.1 }
    const at = (maxOrderUsdc: bigint) => ({ limits: { maxOrderUsdc } })
    // The book may move before the order arrives, up to 3 % over the mark.
    const failure = await heldBack('place_order', order, at(6_201_629_999n))
    expect(failure.meta).toMatchObject({ reason: 'order_value', requested: 6201.63 })
    await opened.world.call('place_order', order, at(6_201_630_000n))
  },
)

test('where its market names no range, an order without a bound of its own has no worst case, as at the relay', async () => {
  const unbounded = await openWireWorld()
  try {
    const info = 'GET /v1/public/info'
    const rows = wire[info].data.rows.map((row) => ({ ...row, price_range: 0 }))
    unbounded.instead.set(info, { json: { ...wire[info], data: { rows } } })
    const { world } = unbounded
    const order = { symbol: BTC, side: 'BUY', order_type: 'MARKET', order_quantity: 0.001 }
    const sale = { ...order, side: 'SELL', order_type: 'LIMIT', order_price: 61_000 }
    const limits = { maxOrderUsdc: 7_000_000_000n }
    for (const unknown of [order, sale]) {
      const { code, meta } = await world.refused('place_order', unknown, { limits })
      expect({ code, reason: meta.reason }).toEqual({ code: 'mandate_exceeded', reason: 'unknown' })
      const { ok, problems } = await world.call('preview_order', unknown, { limits })
      expect({ ok, problems }).toMatchObject({ ok: false, problems: [{ reason: 'unknown' }] })
    }
    await world.call(
      'place_order',
      { ...order, order_type: 'LIMIT', order_price: 60_000 },
      { limits },
    )
    await world.call('place_order', sale, { limits: {} })
    await world.call('place_order', sale, { limits: { maxOrdersPerMinute: 1 } })
  } finally {
    await unbounded.stop()
  }
})

test('an order that is partly filled counts what an edit adds to its rest, at a lower price too', async () => {
  const route = 'GET /v1/order/5973852953'
  const resting = { side: 'BUY', price: 60_000, executed: 0.04, total_executed_quantity: 0.04 }
  const data = { ...wire[route].data, ...resting }
  opened.instead.set(route, { json: { ...wire[route], data } })
  const edit = { order_id: 5973852953, symbol: BTC, order_quantity: 0.054, order_price: 55_000 }
  const records = newRecords()
  const at = (maxOrderUsdc: bigint) => ({
    ...records,
    limits: { maxOrderUsdc, maxDailyUsdc: 10n ** 12n },
  })
  // 0.04 were bought at up to 60,000; 0.01 of the rest becomes 0.014 at 55,000.
  const failure = await heldBack('edit_order', edit, at(3_169_999_999n))
  expect(failure.meta).toMatchObject({ reason: 'order_value', requested: 3170 })
  await opened.world.call('edit_order', edit, at(3_170_000_000n))
  expect(await usedToday(opened.world, records)).toBe(170)
})

describe('an order that grows from 0.05 to 0.06 counts what it can be worth', () => {
  const grown = { order_id: 5973852953, symbol: BTC, order_quantity: 0.06 }

  test.each([
    ['a sale from the mark', { side: 'SELL', price: 60000 }, 3720.978, 620_163_000n],
    ['a sale above the mark from its price', { side: 'SELL', price: 61000 }, 3769.8, 628_300_000n],
    ['a purchase at its price', { side: 'BUY', price: 60000 }, 3600, 600_000_000n],
  ])('%s', async (_, resting, whole, added) => {
    const route = 'GET /v1/order/5973852953'
    const answer = wire[route]
    opened.instead.set(route, { json: { ...answer, data: { ...answer.data, ...resting } } })
    const micros = BigInt(Math.round(whole * 1_000_000))
    const records = newRecords()
    const maxDailyUsdc = 10n ** 12n
    const at = (maxOrderUsdc: bigint) => ({ ...records, limits: { maxOrderUsdc, maxDailyUsdc } })
    const failure = await heldBack('edit_order', grown, at(micros - 1n))
    expect(failure).toMatchObject({ code: 'mandate_exceeded', meta: { requested: whole } })
    expect(await usedToday(opened.world, records)).toBe(0)
    await opened.world.call('edit_order', grown, at(micros))
    expect(await usedToday(opened.world, records)).toBe(Number(added) / 1e6)
  })
})
