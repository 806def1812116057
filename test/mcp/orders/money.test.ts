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

describe('an order that grows from 0.05 to 0.06 counts what it can be worth', () => {
  const grown = { order_id: 5973852953, symbol: BTC, order_quantity: 0.06 }

  test.each([
    ['a sale under the mark at the mark', { side: 'SELL', price: 60000 }, 3612.6, 602_100_000n],
    ['a sale above the mark at its price', { side: 'SELL', price: 61000 }, 3660, 610_000_000n],
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
