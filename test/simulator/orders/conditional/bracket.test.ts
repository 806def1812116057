import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader } from '../../fixture.ts'
import { BTC } from '../../past/small-feed.ts'
import { heldOf, hold, LEGS, moveTo, POSITIONAL, place, rowOf, TP_SL } from './calls.ts'

const LEG_1 = {
  ...{ symbol: BTC, algo_type: 'BRACKET', quantity: 0.2, side: 'BUY', type: 'LIMIT' },
  price: 59_500,
} as const

const WITH_TP_SL = {
  ...LEG_1,
  child_orders: [{ symbol: BTC, algo_type: 'TP_SL', child_orders: TP_SL.child_orders }],
}
const WITH_POSITIONAL = {
  ...LEG_1,
  child_orders: [
    { symbol: BTC, algo_type: 'POSITIONAL_TP_SL', child_orders: POSITIONAL.child_orders },
  ],
}

async function openRows(trader: Trader) {
  return (await trader.get('/v1/algo/orders?status=INCOMPLETE')).data.rows
}

describe('a bracket', () => {
  test('has its order in the book at once, and legs that wait', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, WITH_TP_SL)
    expect((await trader.get('/v1/orders?status=INCOMPLETE')).data.rows).toMatchObject([
      { price: 59_500, quantity: 0.2, side: 'BUY' },
    ])
    expect(await rowOf(trader, id)).toMatchObject({
      algo_type: 'BRACKET',
      algo_status: 'NEW',
      is_activated: true,
      child_orders: [{ algo_type: 'TP_SL', is_activated: false, parent_algo_order_id: id }],
    })
    // The legs sleep: marks that would trigger them find nothing to do.
    moveTo(fixture, 61_000)
    expect(await rowOf(trader, id)).toMatchObject({ algo_status: 'NEW', is_triggered: 'false' })
  })

  test('is decoupled at its first fill, and its legs close as much as it has opened', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, WITH_TP_SL)
    fixture.quote(BTC, { bids: [[59_400, 1]], asks: [[59_500, 0.05]] })
    expect(await rowOf(trader, id)).toMatchObject({
      ...{ algo_status: 'PARTIAL_FILLED', executed_quantity: 0.05, child_orders: [] },
    })
    const legs = (await openRows(trader)).find((row: { algo_type: string }) => {
      return row.algo_type === 'TP_SL'
    })
    expect(legs).toMatchObject({ parent_algo_order_id: 0, quantity: 0.05, is_activated: true })
    fixture.restart()
    fixture.quote(BTC, { bids: [[59_400, 1]], asks: [[59_500, 0.15]] })
    expect((await rowOf(trader, id)).algo_status).toBe('FILLED')
    expect(await rowOf(trader, legs.algo_order_id)).toMatchObject({ quantity: 0.2 })
    moveTo(fixture, 61_000)
    expect(await heldOf(trader)).toBe(0)
    expect((await rowOf(trader, legs.algo_order_id)).algo_status).toBe('FILLED')
  })

  test('at market with legs of the position closes all that is held', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const id = await place(trader, { ...WITH_POSITIONAL, type: 'MARKET', price: undefined })
    expect((await rowOf(trader, id)).algo_status).toBe('FILLED')
    moveTo(fixture, 59_000)
    expect(await heldOf(trader)).toBe(0)
    expect(await openRows(trader)).toEqual([])
  })

  test('replaces what the position had when it fills', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const before = await place(trader, POSITIONAL)
    const id = await place(trader, WITH_POSITIONAL)
    expect((await rowOf(trader, before)).algo_status).toBe('NEW')
    fixture.quote(BTC, { bids: [[59_400, 1]], asks: [[59_500, 1]] })
    expect((await rowOf(trader, before)).algo_status).toBe('CANCELLED')
    expect((await rowOf(trader, id)).algo_status).toBe('FILLED')
    expect(await openRows(trader)).toMatchObject([
      { algo_type: 'POSITIONAL_TP_SL', parent_algo_order_id: 0 },
    ])
  })

  test.each([
    {
      way: 'as an algo order',
      cancel: (trader: Trader, id: number) =>
        trader.delete(`/v1/algo/order?order_id=${id}&symbol=${BTC}`),
    },
    { way: 'as an order', cancel: (trader: Trader) => trader.delete('/v1/orders') },
  ])('cancelled $way before it fills takes its legs with it', async ({ cancel }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, WITH_TP_SL)
    await cancel(trader, id)
    expect(await rowOf(trader, id)).toMatchObject({
      algo_status: 'CANCELLED',
      child_orders: [{ algo_status: 'CANCELLED' }],
    })
    expect((await trader.get('/v1/orders?status=INCOMPLETE')).data.rows).toEqual([])
    expect(await openRows(trader)).toEqual([])
  })

  test('cancelled after a part has filled leaves legs for that part', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, WITH_TP_SL)
    fixture.quote(BTC, { bids: [[59_400, 1]], asks: [[59_500, 0.05]] })
    await trader.delete(`/v1/algo/order?order_id=${id}&symbol=${BTC}`)
    expect(await openRows(trader)).toMatchObject([{ algo_type: 'TP_SL', quantity: 0.05 }])
    moveTo(fixture, 61_000)
    expect(await heldOf(trader)).toBe(0)
  })

  test('changes its order in the book with its own', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, WITH_POSITIONAL)
    const edit = { order_id: id, price: 59_400, quantity: 0.3 }
    expect((await trader.put('/v1/algo/order', edit)).status).toBe(200)
    expect((await trader.get('/v1/orders?status=INCOMPLETE')).data.rows).toMatchObject([
      { price: 59_400, quantity: 0.3 },
    ])
    expect(await rowOf(trader, id)).toMatchObject({ price: 59_400, quantity: 0.3 })
  })

  test.each([
    { is: 'beyond its margin', fields: { quantity: 5 }, code: -1101 },
    { is: 'too far from the mark', fields: { price: 62_000 }, code: -1105 },
    { is: 'without legs', fields: { child_orders: [] }, code: -1005 },
    { is: 'with legs in place of their group', fields: TP_SL, code: -1005 },
    {
      is: 'with legs on its own side',
      fields: {
        child_orders: [
          {
            algo_type: 'TP_SL',
            child_orders: [{ ...LEGS.profit, type: 'MARKET', side: 'BUY' }],
          },
        ],
      },
      code: -1005,
    },
  ])('$is is refused, and nothing is in the book', async ({ fields, code }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const body = { ...WITH_TP_SL, ...fields, algo_type: 'BRACKET' }
    expect(await trader.post('/v1/algo/order', body)).toMatchObject({ code })
    expect((await trader.get('/v1/orders')).data.rows).toEqual([])
    expect(await openRows(trader)).toEqual([])
  })
})

test('a liquidation takes algo orders with it', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  await hold(trader, 1)
  const id = await place(trader, { ...TP_SL, quantity: 0.5, child_orders: [TP_SL.child_orders[0]] })
  moveTo(fixture, 50_000)
  expect((await trader.get('/v1/liquidations')).data.rows).toHaveLength(1)
  expect((await rowOf(trader, id)).algo_status).toBe('CANCELLED')
})
