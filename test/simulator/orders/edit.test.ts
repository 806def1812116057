import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader, type VenueFixture } from '../fixture.ts'
import { BTC, d } from '../past/small-feed.ts'

async function rested(fixture: VenueFixture) {
  const trader = await fixture.trader('a')
  const { data } = await trader.order({
    order_price: 59_500,
    order_quantity: 0.2,
    client_order_id: 'mine',
  })
  const same = { order_id: String(data.order_id), symbol: BTC, order_type: 'LIMIT', side: 'BUY' }
  const now = async () => (await trader.get(`/v1/order/${data.order_id}`)).data
  return { trader, same, now }
}

async function executedOf(trader: Trader) {
  return (await trader.get('/v1/orders')).data.rows.map((row: { executed: number }) => row.executed)
}

describe('an edit', () => {
  test('moves the price and keeps the order', async () => {
    using fixture = openVenueFixture()
    const { trader, same, now } = await rested(fixture)
    const answer = await trader.put('/v1/order', {
      ...same,
      order_price: 59_600,
      order_quantity: 0.1,
    })
    expect(answer.data).toEqual({ status: 'EDIT_SENT' })
    expect(await now()).toMatchObject({
      status: 'NEW',
      price: 59_600,
      quantity: 0.1,
      visible: 0.1,
      client_order_id: 'mine',
    })
    expect((await trader.get('/v1/orders')).data.meta.total).toBe(1)
  })

  test('may cross the book, and then takes', async () => {
    using fixture = openVenueFixture()
    const { trader, same, now } = await rested(fixture)
    await trader.put('/v1/order', { ...same, order_price: 60_001 })
    expect(await now()).toMatchObject({ status: 'FILLED', average_executed_price: 60_001 })
    expect(fixture.book(BTC).bids[0]?.price).toBe(d('59999'))
  })

  test('keeps its place when it shrinks and loses it when it grows', async () => {
    using fixture = openVenueFixture()
    const [a, b, taker] = [
      await fixture.trader('a'),
      await fixture.trader('b'),
      await fixture.trader('t'),
    ]
    const place = async (trader: Trader) =>
      (await trader.order({ order_price: 60_000 })).data.order_id
    const [first] = [await place(a), await place(b)]
    const same = { order_id: first, symbol: BTC, order_type: 'LIMIT', side: 'BUY' }
    await a.put('/v1/order', { ...same, order_quantity: 0.05 })
    await taker.order({ side: 'SELL', order_price: 60_000, order_quantity: 0.01 })
    expect([await executedOf(a), await executedOf(b)]).toEqual([[0.01], [0]])
    await a.put('/v1/order', { ...same, order_quantity: 0.2 })
    await taker.order({ side: 'SELL', order_price: 60_000, order_quantity: 0.01 })
    expect([await executedOf(a), await executedOf(b)]).toEqual([[0.01], [0.01]])
  })

  test.each([
    { name: 'the side', change: { side: 'SELL' }, code: -1005 },
    { name: 'the type', change: { order_type: 'POST_ONLY' }, code: -1005 },
    { name: 'the client order id', change: { client_order_id: 'other' }, code: -1005 },
    { name: 'reduce_only', change: { reduce_only: true }, code: -1005 },
    { name: 'the visible quantity', change: { visible_quantity: 0.1 }, code: -1005 },
    { name: 'the symbol', change: { symbol: 'PERP_ETH_USDC' }, code: -1006 },
    { name: 'an order that does not exist', change: { order_id: '42' }, code: -1006 },
    { name: 'the price off its tick', change: { order_price: 59_500.01 }, code: -1103 },
    { name: 'the price out of range', change: { order_price: 62_000 }, code: -1105 },
    { name: 'the quantity off its step', change: { order_quantity: 0.00001 }, code: -1104 },
    { name: 'the quantity beyond the margin', change: { order_quantity: 10 }, code: -1101 },
  ])('of $name is refused and changes nothing', async ({ change, code }) => {
    using fixture = openVenueFixture()
    const { trader, same, now } = await rested(fixture)
    const before = await now()
    expect(await trader.put('/v1/order', { ...same, ...change })).toMatchObject({ code })
    expect(await now()).toEqual(before)
    expect(fixture.trades(BTC)).toBe(0)
  })

  test('is margined in the place of the order, not beside it', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const { data } = await trader.order({ order_quantity: 1.5 })
    const same = { order_id: String(data.order_id), symbol: BTC, order_type: 'LIMIT', side: 'BUY' }
    const edit = (order_price: number, order_quantity: number) =>
      trader.put('/v1/order', { ...same, order_price, order_quantity })
    expect(await edit(59_100, 1.6)).toMatchObject({ status: 200 })
    expect(await edit(59_100, 1.7)).toMatchObject({ status: 400, code: -1101 })
    const { rows } = (await trader.get('/v1/orders')).data
    expect(rows).toMatchObject([{ price: 59_100, quantity: 1.6, status: 'NEW' }])
  })

  test('below what is executed is refused', async () => {
    using fixture = openVenueFixture()
    const { trader, same, now } = await rested(fixture)
    const taker = await fixture.trader('b')
    await trader.put('/v1/order', { ...same, order_price: 60_000 })
    await taker.order({ side: 'SELL', order_price: 60_000, order_quantity: 0.15 })
    const answer = await trader.put('/v1/order', { ...same, order_quantity: 0.1 })
    expect(answer).toMatchObject({ status: 400, code: -1104 })
    expect(await now()).toMatchObject({ status: 'PARTIAL_FILLED', quantity: 0.2, executed: 0.15 })
  })

  test('of a finished order is refused', async () => {
    using fixture = openVenueFixture()
    const { trader, same } = await rested(fixture)
    await trader.delete('/v1/orders')
    const answer = await trader.put('/v1/order', { ...same, order_price: 59_600 })
    expect(answer).toMatchObject({ status: 400, code: -1006 })
    expect((await trader.get('/v1/orders?status=INCOMPLETE')).data.rows).toEqual([])
  })
})
