import { describe, expect, test } from 'bun:test'
import { openVenueFixture } from '../fixture.ts'
import { BTC } from '../past/small-feed.ts'

const AMOUNT = { order_price: null, order_quantity: null }

describe('order_amount', () => {
  test('a market order spends no more than it, from the best price on', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    // One BTC at 60,001 leaves 29,999 for the next price: all at the first price would be 1.4999 BTC.
    fixture.quote(BTC, {
      bids: [[59_999, 1]],
      asks: [
        [60_001, 1],
        [61_000, 1],
      ],
    })
    await trader.post('/v1/client/leverages', { symbol: BTC, leverage: 50 })
    const { data } = await trader.order({ ...AMOUNT, order_type: 'MARKET', order_amount: 90_000 })
    expect(data).toMatchObject({ order_amount: 90_000, order_price: null, order_quantity: 1.4917 })
    const order = (await trader.get(`/v1/order/${data.order_id}`)).data
    expect(order).toMatchObject({ amount: 90_000, status: 'FILLED', executed_quantity: 1.4917 })
    const spent = order.average_executed_price * order.executed_quantity
    expect(spent).toBeLessThanOrEqual(90_000)
    expect(spent).toBeGreaterThan(90_000 - 6.1)
  })

  test('a sale earns it, and what the book does not offer is cancelled', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    fixture.quote(BTC, { bids: [[59_999, 0.01]], asks: [[60_001, 1]] })
    const sale = { ...AMOUNT, order_type: 'MARKET', side: 'SELL', order_amount: '1200' }
    const { order_id } = (await trader.order(sale)).data
    expect((await trader.get(`/v1/order/${order_id}`)).data).toMatchObject({
      quantity: 0.02,
      executed_quantity: 0.01,
      status: 'CANCELLED',
    })
  })

  test.each([
    { type: 'ASK', side: 'SELL', price: 60_001 },
    { type: 'BID', side: 'BUY', price: 59_999 },
  ])('an $type order rests with what it is worth at its price', async ({ type, side, price }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const asked = { ...AMOUNT, order_type: type, side, order_amount: 6000 }
    const { data } = await trader.order(asked)
    expect(data).toMatchObject({ order_price: price, order_amount: 6000 })
    expect(data.order_quantity * price).toBeLessThanOrEqual(6000)
    expect(data.order_quantity).toBe(type === 'ASK' ? 0.0999 : 0.1)
    fixture.restart()
    expect((await trader.get(`/v1/order/${data.order_id}`)).data.amount).toBe(6000)
  })

  test('own orders in the way are passed over, not counted on', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await trader.order({ side: 'SELL', order_price: 60_000.5, order_quantity: 0.01 })
    const { data } = await trader.order({ ...AMOUNT, order_type: 'MARKET', order_amount: 1201 })
    expect((await trader.get(`/v1/order/${data.order_id}`)).data).toMatchObject({
      executed_quantity: 0.02,
      average_executed_price: 60_001,
    })
  })

  test.each([
    { is: 'with a quantity too', fields: { order_type: 'MARKET', order_amount: 100 }, code: -1005 },
    { is: 'of a limit order', fields: { order_quantity: null, order_amount: 100 }, code: -1005 },
    {
      is: 'of nothing',
      fields: { ...AMOUNT, order_type: 'MARKET', order_amount: 0 },
      code: -1005,
    },
    {
      is: 'below the smallest value',
      fields: { ...AMOUNT, order_type: 'MARKET', order_amount: 9 },
      code: -1102,
    },
    {
      is: 'beyond the margin',
      fields: { ...AMOUNT, order_type: 'MARKET', order_amount: 150_000 },
      code: -1101,
    },
  ])('an amount $is is refused with $code', async ({ fields, code }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    expect(await trader.order(fields)).toMatchObject({ status: 400, code })
    expect((await trader.get('/v1/orders')).data.rows).toEqual([])
  })
})

describe('a tag with a fee of its own', () => {
  test('adds to the fee of every execution, and the trade says how much', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const market = { order_type: 'MARKET', order_price: null }
    await trader.order({ ...market, order_tag: 'enum:demo:COPY_TRADE' })
    await trader.order(market)
    const [plain, tagged] = (await trader.get('/v1/trades')).data.rows
    expect(plain).toMatchObject({ order_enum_fee: null, order_enum_fee_rate: null })
    expect(tagged).toMatchObject({ order_enum_fee: 0.60001, order_enum_fee_rate: 0.0001 })
    expect(tagged.fee - plain.fee).toBeCloseTo(0.60001, 6)
  })
})
