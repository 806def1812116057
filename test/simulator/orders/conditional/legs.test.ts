import { describe, expect, test } from 'bun:test'
import { openVenueFixture } from '../../fixture.ts'
import { BTC } from '../../past/small-feed.ts'
import { heldOf, hold, LEGS, moveTo, POSITIONAL, place, rowOf, STOP, TP_SL } from './calls.ts'

describe('a take profit with a stop loss', () => {
  test('is three orders under one root', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const id = await place(trader, TP_SL)
    const root = await rowOf(trader, id)
    expect(root).toMatchObject({ algo_type: 'TP_SL', side: 'SELL', trigger_price: null })
    expect(root.child_orders).toMatchObject([
      {
        algo_type: 'TAKE_PROFIT',
        parent_algo_order_id: id,
        parent_algo_type: 'TP_SL',
        root_algo_order_id: id,
        quantity: 0.1,
      },
      { algo_type: 'STOP_LOSS', parent_algo_order_id: id, root_algo_order_id: id, quantity: 0.1 },
    ])
    const [leg] = root.child_orders
    expect(await rowOf(trader, leg.algo_order_id)).toEqual(leg)
  })

  test.each([
    { price: 61_000, filled: 'TAKE_PROFIT', cancelled: 'STOP_LOSS' },
    { price: 59_000, filled: 'STOP_LOSS', cancelled: 'TAKE_PROFIT' },
  ])('at $price the $filled closes, and the other is cancelled', async (expected) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader, 0.3)
    const id = await place(trader, TP_SL)
    moveTo(fixture, expected.price)
    const root = await rowOf(trader, id)
    expect(root).toMatchObject({ algo_status: 'FILLED', is_triggered: 'true' })
    const statusOf = (type: string) =>
      root.child_orders.find(({ algo_type }: { algo_type: string }) => algo_type === type)
    expect(statusOf(expected.filled)).toMatchObject({ algo_status: 'FILLED' })
    expect(statusOf(expected.cancelled)).toMatchObject({
      algo_status: 'CANCELLED',
      is_triggered: 'false',
    })
    expect(await heldOf(trader)).toBe(0.2)
    moveTo(fixture, 60_000)
    moveTo(fixture, expected.price === 61_000 ? 58_900 : 61_100)
    expect(await heldOf(trader)).toBe(0.2)
  })

  test('as a limit leaves the other alive until it has filled', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const profit = { ...LEGS.profit, type: 'LIMIT', price: 61_200 }
    const id = await place(trader, { ...TP_SL, child_orders: [profit, TP_SL.child_orders[1]] })
    moveTo(fixture, 61_000)
    expect((await rowOf(trader, id)).child_orders).toMatchObject([
      { is_triggered: 'true', algo_status: 'NEW' },
      { is_triggered: 'false', algo_status: 'NEW' },
    ])
    moveTo(fixture, 59_000)
    expect(await heldOf(trader)).toBe(0)
    expect(await rowOf(trader, id)).toMatchObject({
      algo_status: 'FILLED',
      child_orders: [{ algo_status: 'CANCELLED' }, { algo_status: 'FILLED' }],
    })
    expect((await trader.get('/v1/orders?status=INCOMPLETE')).data.rows).toEqual([])
  })

  test('changes its quantity with all its legs, and a leg alone its trigger', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const id = await place(trader, TP_SL)
    const [profit, loss] = (await rowOf(trader, id)).child_orders
    const edit = (fields: object) => trader.put('/v1/algo/order', { order_id: id, ...fields })
    const legs = [profit, loss].map(({ algo_order_id }) => ({
      order_id: algo_order_id,
      quantity: 0.05,
    }))
    expect((await edit({ quantity: 0.05 })).code).toBe(-1005)
    expect((await edit({ quantity: 0.05, child_orders: legs.slice(0, 1) })).code).toBe(-1005)
    expect((await edit({ quantity: 0.05, child_orders: legs })).status).toBe(200)
    const lower = { order_id: String(loss.algo_order_id), trigger_price: 58_000 }
    expect((await edit({ child_orders: [lower] })).status).toBe(200)
    expect(await rowOf(trader, id)).toMatchObject({
      quantity: 0.05,
      child_orders: [
        { quantity: 0.05, trigger_price: 61_000 },
        { quantity: 0.05, trigger_price: 58_000 },
      ],
    })
    moveTo(fixture, 58_500)
    expect(await heldOf(trader)).toBe(0.1)
    moveTo(fixture, 58_000)
    expect(await heldOf(trader)).toBe(0.05)
  })

  test('loses one leg at a time, and is over with the last', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const id = await place(trader, TP_SL)
    const [profit, loss] = (await rowOf(trader, id)).child_orders
    const cancel = (leg: { algo_order_id: number }) =>
      trader.delete(`/v1/algo/order?order_id=${leg.algo_order_id}&symbol=${BTC}`)
    expect((await cancel(profit)).status).toBe(200)
    expect((await rowOf(trader, id)).algo_status).toBe('NEW')
    await cancel(loss)
    expect((await rowOf(trader, id)).algo_status).toBe('CANCELLED')
  })

  test('stays when its position closes, and closes up to its quantity of the next one', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const [part, whole] = [await place(trader, TP_SL), await place(trader, POSITIONAL)]
    await trader.order({ order_type: 'MARKET', order_price: null, side: 'SELL' })
    expect(await heldOf(trader)).toBe(0)
    expect((await rowOf(trader, part)).algo_status).toBe('NEW')
    expect((await rowOf(trader, whole)).algo_status).toBe('CANCELLED')
    await hold(trader, 0.3)
    moveTo(fixture, 59_000)
    expect(await heldOf(trader)).toBe(0.2)
    expect((await rowOf(trader, part)).algo_status).toBe('FILLED')
  })

  test('with one leg is given no other by an edit', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const [profit, loss] = POSITIONAL.child_orders
    const id = await place(trader, { ...POSITIONAL, child_orders: [profit] })
    const edit = (child: object) =>
      trader.put('/v1/algo/order', { order_id: id, child_orders: [child] })
    expect(await edit(loss)).toMatchObject({ status: 400, code: -1005 })
    const [own] = (await rowOf(trader, id)).child_orders
    expect((await edit({ order_id: own.algo_order_id, trigger_price: 62_000 })).status).toBe(200)
    expect((await rowOf(trader, id)).child_orders).toMatchObject([
      { algo_type: 'TAKE_PROFIT', trigger_price: 62_000 },
    ])
  })

  test('at most ten wait for their trigger at a time', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    for (let count = 0; count < 10; count++) await place(trader, TP_SL)
    expect(await trader.post('/v1/algo/order', TP_SL)).toMatchObject({ status: 400, code: -1012 })
    expect((await trader.post('/v1/algo/order', STOP)).status).toBe(200)
    const [newest] = (await trader.get('/v1/algo/orders?algo_type=TP_SL')).data.rows
    await trader.delete(`/v1/algo/order?order_id=${newest.algo_order_id}&symbol=${BTC}`)
    expect((await trader.post('/v1/algo/order', TP_SL)).status).toBe(200)
  })

  test.each([
    { is: 'without legs', fields: { child_orders: [] } },
    { is: 'with a leg twice', fields: { child_orders: Array(2).fill(TP_SL.child_orders[0]) } },
    { is: 'with three legs', fields: { child_orders: Array(3).fill(TP_SL.child_orders[0]) } },
    {
      is: 'with legs on both sides',
      fields: {
        child_orders: [TP_SL.child_orders[0], { ...TP_SL.child_orders[1], side: 'BUY' }],
      },
    },
    {
      is: 'with a leg that opens',
      fields: { child_orders: [{ ...TP_SL.child_orders[0], reduce_only: false }] },
    },
    { is: 'with legs of a position', fields: { child_orders: POSITIONAL.child_orders } },
  ])('$is is refused', async ({ fields }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const answer = await trader.post('/v1/algo/order', { ...TP_SL, ...fields })
    expect(answer).toMatchObject({ status: 400, code: -1005 })
  })
})

describe('a take profit with a stop loss of the whole position', () => {
  test('closes whatever is held when its time comes', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const id = await place(trader, POSITIONAL)
    await hold(trader, 0.2)
    moveTo(fixture, 59_000)
    expect(await heldOf(trader)).toBe(0)
    expect(await rowOf(trader, id)).toMatchObject({
      algo_status: 'FILLED',
      child_orders: [{ algo_status: 'CANCELLED' }, { algo_status: 'FILLED', quantity: 0.3 }],
    })
  })

  test('goes with the position, however that ends', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const id = await place(trader, POSITIONAL)
    await trader.order({ order_type: 'MARKET', order_price: null, side: 'SELL' })
    expect((await rowOf(trader, id)).algo_status).toBe('CANCELLED')
  })

  test('is one a position, and none without one', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    expect(await trader.post('/v1/algo/order', POSITIONAL)).toMatchObject({ code: -1012 })
    await hold(trader)
    await place(trader, POSITIONAL)
    expect(await trader.post('/v1/algo/order', POSITIONAL)).toMatchObject({
      status: 409,
      code: -1007,
    })
  })

  test('is cancelled with everything else that stops', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    await place(trader, POSITIONAL)
    await place(trader, TP_SL)
    await trader.delete('/v1/algo/orders?algo_type=STOP')
    expect((await trader.get('/v1/algo/orders?status=INCOMPLETE')).data.rows).toEqual([])
  })
})
