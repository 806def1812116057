import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openVenueFixture } from '../fixture.ts'
import { BTC } from '../past/small-feed.ts'

/** Changes to a good order, and the code that refuses them. */
const REFUSED = [
  { fields: { symbol: 'PERP_NOPE_USDC' }, code: -1005 },
  { fields: { symbol: null }, code: -1005 },
  { fields: { side: 'LONG' }, code: -1005 },
  { fields: { side: null }, code: -1005 },
  { fields: { order_type: 'STOP' }, code: -1005 },
  { fields: { order_price: null }, code: -1005 },
  { fields: { order_price: 0 }, code: -1005 },
  { fields: { order_price: -1 }, code: -1005 },
  { fields: { order_price: 'cheap' }, code: -1005 },
  { fields: { order_quantity: null }, code: -1005 },
  { fields: { order_amount: 100 }, code: -1005 },
  { fields: { reduce_only: 'yes' }, code: -1005 },
  { fields: { client_order_id: '-first' }, code: -1005 },
  { fields: { client_order_id: 'x'.repeat(37) }, code: -1005 },
  { fields: { order_tag: 'x'.repeat(129) }, code: -1005 },
  { fields: { margin_mode: 'PORTFOLIO' }, code: -1005 },
  { fields: { order_tag: 'enum:demo:NOBODY' }, code: -1005 },
  { fields: { order_tag: 'enum:GRID_PRO' }, code: -1005 },
  { fields: { order_tag: `enum:${'x'.repeat(65)}:GRID_PRO` }, code: -1005 },
  { fields: { level: 0 }, code: -1005 },
  { fields: { post_only_adjust: true }, code: -1005 },
  { fields: { visible_quantity: -1 }, code: -1005 },
  { fields: { visible_quantity: 0.2 }, code: -1005 },
  { fields: { order_type: 'POST_ONLY', visible_quantity: 0.1 }, code: -1005 },
  { fields: { leverage: 10 }, code: -1004 },
  { fields: { order_price: 1_000_000.1 }, code: -1103 },
  { fields: { order_price: 59_000.05 }, code: -1103 },
  { fields: { order_price: '59000.000000001' }, code: -1103 },
  { fields: { order_quantity: 0 }, code: -1104 },
  { fields: { order_quantity: -0.1 }, code: -1104 },
  { fields: { order_quantity: 100.0001 }, code: -1104 },
  { fields: { order_quantity: 0.00015 }, code: -1104 },
  { fields: { order_quantity: 0.000000001 }, code: -1104 },
  { fields: { visible_quantity: 0.00005 }, code: -1104 },
  { fields: { order_quantity: 0.0001 }, code: -1102 },
  { fields: { order_price: 61_800.1 }, code: -1105 },
  { fields: { order_price: 35_999.9 }, code: -1105 },
  { fields: { side: 'SELL', order_price: 58_199.9 }, code: -1105 },
  { fields: { side: 'SELL', order_price: 84_000.1 }, code: -1105 },
  { fields: { order_quantity: 2 }, code: -1101 },
  { fields: { reduce_only: true }, code: -1012 },
] as const

describe('a refused order leaves nothing behind', () => {
  let fixture: ReturnType<typeof openVenueFixture>
  let trader: Awaited<ReturnType<typeof fixture.trader>>
  beforeAll(async () => {
    fixture = openVenueFixture()
    trader = await fixture.trader('a')
  })
  afterAll(() => fixture[Symbol.dispose]())

  test.each(REFUSED.map(({ fields, code }) => ({ text: JSON.stringify(fields), fields, code })))(
    '$text is refused with $code',
    async ({ fields, code }) => {
      expect(await trader.order(fields)).toMatchObject({ code, body: { success: false } })
      expect((await trader.get('/v1/orders')).data.rows).toEqual([])
      expect(fixture.trades(BTC)).toBe(0)
    },
  )

  test.each([
    { fields: { order_price: 61_800 }, is: 'the highest price of the band' },
    { fields: { order_price: 36_000 }, is: 'the lowest price of the scope' },
    { fields: { order_price: '59000.1', order_quantity: '0.1' }, is: 'numbers written as texts' },
    { fields: { order_price: 5.9e4, order_quantity: 1e-3 }, is: 'numbers with exponents' },
    { fields: { client_order_id: 'a-1' }, is: 'a client order id with a hyphen' },
    { fields: { order_price: null, order_type: 'MARKET' }, is: 'null for absent' },
  ])('$is is accepted', async ({ fields }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    expect(await trader.order(fields)).toMatchObject({ status: 200 })
  })

  test('a client order id is unique among open orders, and free again afterwards', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const other = await fixture.trader('b')
    const first = await trader.order({ client_order_id: 'mine' })
    expect(await trader.order({ client_order_id: 'mine' })).toMatchObject({
      status: 409,
      code: -1007,
    })
    expect((await trader.get('/v1/orders')).data.meta.total).toBe(1)
    expect((await other.order({ client_order_id: 'mine' })).status).toBe(200)
    await trader.delete(`/v1/order?order_id=${first.data.order_id}&symbol=${BTC}`)
    expect((await trader.order({ client_order_id: 'mine' })).status).toBe(200)
  })
})
