import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader } from '../fixture.ts'
import { BTC, ETH } from '../past/small-feed.ts'

async function orderOf(trader: Trader, id: number) {
  return (await trader.get(`/v1/order/${id}`)).data
}

/** Places an order and answers how it stands afterwards. */
async function placed(trader: Trader, fields: Record<string, unknown>) {
  const answer = await trader.order(fields)
  expect(answer).toMatchObject({ status: 200, data: { error_message: 'none' } })
  return orderOf(trader, answer.data.order_id)
}

describe('order types', () => {
  test('LIMIT rests what the book does not fill', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const order = await placed(trader, { order_price: 60_005, order_quantity: 1.2 })
    expect(order).toMatchObject({
      status: 'PARTIAL_FILLED',
      executed: 1,
      average_executed_price: 60_001,
      total_fee: 36.0006,
    })
    expect(fixture.book(BTC).bids[0]).toEqual({ price: 6_000_500_000_000n, quantity: 20_000_000n })
    expect(fixture.trades(BTC)).toBe(1)
  })

  test('a fee that is no whole micro-USDC is rounded up', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const order = await placed(trader, { order_price: 60_001, order_quantity: 0.0003 })
    // Six basis points of 18.0003 are 0.01080018.
    expect(order).toMatchObject({ status: 'FILLED', total_fee: 0.010801 })
  })

  test('MARKET walks the book and has no price', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const answer = await trader.order({
      order_type: 'MARKET',
      order_price: undefined,
      order_quantity: 1.5,
    })
    expect(answer.data.order_price).toBeNull()
    expect(await orderOf(trader, answer.data.order_id)).toMatchObject({
      status: 'FILLED',
      price: null,
      executed: 1.5,
      average_executed_price: 60_004,
    })
  })

  test('MARKET stops at its slippage and cancels the rest', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const order = await placed(trader, {
      order_type: 'MARKET',
      order_price: undefined,
      order_quantity: 1.5,
      slippage: 0.0001,
    })
    expect(order).toMatchObject({
      status: 'CANCELLED',
      executed: 1,
      average_executed_price: 60_001,
    })
  })

  test('MARKET stops at the price range', async () => {
    using fixture = openVenueFixture()
    const asks = [
      [3090, 1],
      [3090.1, 1],
    ] as const
    fixture.quote(ETH, { bids: [], asks })
    const trader = await fixture.trader('a')
    const order = await placed(trader, {
      symbol: ETH,
      order_type: 'MARKET',
      order_price: undefined,
      order_quantity: 2,
    })
    expect(order).toMatchObject({ status: 'CANCELLED', executed: 1, average_executed_price: 3090 })
  })

  test('IOC fills what it can at its price or better and never rests', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const order = await placed(trader, {
      order_type: 'IOC',
      order_price: 60_005,
      order_quantity: 1.5,
    })
    expect(order).toMatchObject({ status: 'CANCELLED', executed: 1 })
    expect(fixture.book(BTC).bids[0]?.price).toBe(5_999_900_000_000n)
  })

  test('FOK fills as a whole or not at all', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const fok = { order_type: 'FOK', order_price: 60_005 }
    expect(await placed(trader, { ...fok, order_quantity: 1.1 })).toMatchObject({
      status: 'CANCELLED',
      executed: 0,
    })
    expect(fixture.trades(BTC)).toBe(0)
    expect(await placed(trader, { ...fok, order_quantity: 1 })).toMatchObject({
      status: 'FILLED',
      executed: 1,
    })
  })

  test('POST_ONLY is cancelled where it would take, and otherwise rests as maker', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const post = { order_type: 'POST_ONLY' }
    expect(await placed(trader, { ...post, order_price: 60_001 })).toMatchObject({
      status: 'CANCELLED',
      executed: 0,
    })
    expect(await placed(trader, { ...post, order_price: 60_000.9 })).toMatchObject({
      status: 'NEW',
    })
    expect(fixture.trades(BTC)).toBe(0)
  })

  test('POST_ONLY with adjustment steps back one tick from the best price', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const post = { order_type: 'POST_ONLY', post_only_adjust: true }
    expect(await placed(trader, { ...post, order_price: 60_010 })).toMatchObject({
      status: 'NEW',
      price: 60_000.9,
    })
    expect(await placed(trader, { ...post, side: 'SELL', order_price: 59_000 })).toMatchObject({
      status: 'NEW',
      price: 60_001,
    })
  })

  test.each([
    { order_type: 'BID', side: 'BUY', level: 0, price: 59_999, status: 'NEW' },
    { order_type: 'BID', side: 'BUY', level: 1, price: 59_990, status: 'NEW' },
    { order_type: 'ASK', side: 'BUY', level: 0, price: 60_001, status: 'FILLED' },
    { order_type: 'ASK', side: 'SELL', level: 1, price: 60_010, status: 'NEW' },
  ])(
    '$side $order_type of level $level is a limit at $price',
    async ({ price, status, ...fields }) => {
      using fixture = openVenueFixture()
      const trader = await fixture.trader('a')
      expect(await placed(trader, { ...fields, order_price: undefined })).toMatchObject({
        price,
        status,
      })
    },
  )

  test('a level that the book does not have is refused', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const answer = await trader.order({ order_type: 'BID', level: 4, order_price: undefined })
    expect(answer).toMatchObject({ status: 400, code: -1012 })
  })
})

describe('reduce-only', () => {
  test('it closes the position and no more, whatever its quantity', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await placed(trader, { order_price: 60_001, order_quantity: 0.3 })
    const close = { side: 'SELL', order_type: 'MARKET', order_price: undefined, reduce_only: true }
    expect(await placed(trader, { ...close, order_quantity: 0.5 })).toMatchObject({
      status: 'CANCELLED',
      executed: 0.3,
    })
    expect((await trader.get(`/v1/position/${BTC}`)).data.position_qty).toBe(0)
  })

  test('with FOK it closes the whole position, and nothing when it is larger than that', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await placed(trader, { order_price: 60_001, order_quantity: 0.3 })
    const close = { side: 'SELL', order_type: 'FOK', order_price: 59_990, reduce_only: true }
    const larger = await placed(trader, { ...close, order_quantity: 0.5 })
    expect(larger).toMatchObject({ status: 'CANCELLED', executed: 0 })
    const whole = await placed(trader, { ...close, order_quantity: 0.3 })
    expect(whole).toMatchObject({ status: 'FILLED', executed: 0.3 })
  })

  test('it never adds to the side the position is on', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await placed(trader, { order_price: 60_001 })
    expect(await trader.order({ reduce_only: true })).toMatchObject({ code: -1012 })
  })

  test('resting ones share the position and go when it is closed', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const other = await fixture.trader('b')
    await placed(trader, { order_price: 60_001, order_quantity: 0.3 })
    const exit = { side: 'SELL', reduce_only: true, order_quantity: 0.3 }
    const first = await placed(trader, { ...exit, order_price: 60_000.1 })
    const second = await placed(trader, { ...exit, order_price: 60_000.2 })
    await placed(other, { order_price: 60_000.5, order_quantity: 0.4 })
    expect(await orderOf(trader, first.order_id)).toMatchObject({ status: 'FILLED', executed: 0.3 })
    expect(await orderOf(trader, second.order_id)).toMatchObject({
      status: 'CANCELLED',
      executed: 0,
    })
    expect((await trader.get(`/v1/position/${BTC}`)).data.position_qty).toBe(0)
    expect((await other.get(`/v1/position/${BTC}`)).data.position_qty).toBe(0.3)
  })

  test('a whole position may be closed below the minimum value; a part of it may not', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await placed(trader, { order_price: 60_001, order_quantity: 0.0002 })
    const close = { side: 'SELL', order_type: 'MARKET', order_price: undefined, reduce_only: true }
    await placed(trader, { ...close, order_quantity: 0.0002 })
    expect((await trader.get(`/v1/position/${BTC}`)).data.position_qty).toBe(0)
    await placed(trader, { order_price: 60_001, order_quantity: 0.0003 })
    expect(await trader.order({ ...close, order_quantity: 0.0001 })).toMatchObject({ code: -1102 })
  })
})
