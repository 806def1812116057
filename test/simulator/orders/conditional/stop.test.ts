import { describe, expect, test } from 'bun:test'
import { openVenueFixture } from '../../fixture.ts'
import { BTC } from '../../past/small-feed.ts'
import { heldOf, hold, moveTo, place, rowOf, STOP } from './calls.ts'

describe('a stop', () => {
  test('has the wire’s fields while it waits', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const { data } = await trader.post('/v1/algo/order', { ...STOP, client_order_id: 'mine' })
    expect(data).toEqual({
      order_id: expect.any(Number),
      client_order_id: 'mine',
      algo_type: 'STOP',
      quantity: 0.1,
    })
    expect(await rowOf(trader, data.order_id)).toEqual({
      algo_order_id: data.order_id,
      client_order_id: 'mine',
      root_algo_order_id: data.order_id,
      parent_algo_order_id: 0,
      parent_algo_type: null,
      symbol: BTC,
      algo_type: 'STOP',
      side: 'BUY',
      type: 'MARKET',
      price: null,
      quantity: 0.1,
      visible_quantity: 0.1,
      trigger_price: 61_000,
      trigger_price_type: 'MARK_PRICE',
      trigger_time: null,
      is_triggered: 'false',
      is_activated: true,
      activated_price: null,
      callback_rate: null,
      callback_value: null,
      extreme_price: null,
      algo_status: 'NEW',
      root_algo_status: 'NEW',
      root_algo_order_status: 'NEW',
      reduce_only: false,
      order_tag: null,
      margin_mode: 'CROSS',
      executed_quantity: 0,
      total_executed_quantity: 0,
      average_executed_price: 0,
      total_fee: 0,
      fee_asset: 'USDC',
      realized_pnl: 0,
      created_time: fixture.nowMs(),
      updated_time: fixture.nowMs(),
      child_orders: [],
    })
    expect((await trader.get('/v1/algo/client/order/mine')).data.algo_order_id).toBe(data.order_id)
    expect((await trader.get('/v1/orders')).data.rows).toEqual([])
  })

  test('is sent when the mark is at its trigger, and not a tick before', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, STOP)
    moveTo(fixture, 60_999.9)
    expect(await rowOf(trader, id)).toMatchObject({ is_triggered: 'false', algo_status: 'NEW' })
    moveTo(fixture, 61_000)
    expect(await rowOf(trader, id)).toMatchObject({
      is_triggered: 'true',
      algo_status: 'FILLED',
      executed_quantity: 0.1,
      average_executed_price: 61_001,
      trigger_time: fixture.nowMs(),
    })
    expect(await heldOf(trader)).toBe(0.1)
    moveTo(fixture, 60_000)
    moveTo(fixture, 61_100)
    expect(await heldOf(trader)).toBe(0.1)
  })

  test('goes before a younger one that the same mark triggers, also after an edit', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const older = await place(trader, STOP)
    const younger = await place(trader, STOP)
    const edit = { order_id: older, trigger_price: 61_100 }
    expect((await trader.put('/v1/algo/order', edit)).status).toBe(200)
    const [small, large] = [[61_201, 0.1] as const, [61_202, 5] as const]
    fixture.quote(BTC, { bids: [[61_199, 5]], asks: [small, large] })
    fixture.move(BTC, 61_200)
    expect((await rowOf(trader, older)).average_executed_price).toBe(61_201)
    expect((await rowOf(trader, younger)).average_executed_price).toBe(61_202)
  })

  test('below the mark it waits for the mark to fall', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, { ...STOP, side: 'SELL', trigger_price: 59_500 })
    moveTo(fixture, 60_500)
    expect((await rowOf(trader, id)).algo_status).toBe('NEW')
    moveTo(fixture, 59_400)
    expect(await rowOf(trader, id)).toMatchObject({ algo_status: 'FILLED' })
    expect(await heldOf(trader)).toBe(-0.1)
  })

  test('with a limit rests in the book, is filled in parts, and is told as it stands', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, { ...STOP, type: 'LIMIT', price: 60_900 })
    moveTo(fixture, 61_000)
    expect(await rowOf(trader, id)).toMatchObject({ algo_status: 'NEW', is_triggered: 'true' })
    const open = (await trader.get('/v1/orders?status=INCOMPLETE')).data.rows
    expect(open).toMatchObject([{ price: 60_900, quantity: 0.1, type: 'LIMIT' }])
    fixture.restart()
    fixture.quote(BTC, { bids: [[60_800, 1]], asks: [[60_900, 0.04]] })
    expect(await rowOf(trader, id)).toMatchObject({
      algo_status: 'PARTIAL_FILLED',
      executed_quantity: 0.04,
    })
    fixture.quote(BTC, { bids: [[60_800, 1]], asks: [[60_900, 0.06]] })
    expect(await rowOf(trader, id)).toMatchObject({ algo_status: 'FILLED', executed_quantity: 0.1 })
  })

  test('that cannot be paid for when its time comes is rejected, and nothing is held', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, { ...STOP, quantity: 3 })
    moveTo(fixture, 61_000)
    expect(await rowOf(trader, id)).toMatchObject({
      algo_status: 'REJECTED',
      is_triggered: 'true',
      executed_quantity: 0,
    })
    expect(await heldOf(trader)).toBe(0)
  })

  test('that only reduces closes no more than the position', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader, 0.05)
    const id = await place(trader, {
      ...{ ...STOP, side: 'SELL', trigger_price: 59_500 },
      reduce_only: true,
    })
    moveTo(fixture, 59_400)
    expect(await heldOf(trader)).toBe(0)
    expect(await rowOf(trader, id)).toMatchObject({ executed_quantity: 0.05 })
  })

  test('holds no margin back while it waits, and waits on after a restart', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, { ...STOP, quantity: 1 })
    expect((await trader.get('/v1/positions')).data.free_collateral).toBe(10_000)
    fixture.restart()
    moveTo(fixture, 61_000)
    expect(await rowOf(trader, id)).toMatchObject({ is_triggered: 'true', algo_status: 'FILLED' })
  })
})

describe('a trailing stop', () => {
  const TRAILING = {
    ...{ symbol: BTC, algo_type: 'TRAILING_STOP', type: 'MARKET', side: 'SELL', quantity: 0.1 },
    reduce_only: true,
  } as const

  test('follows the best mark by a rate, and is sent when the mark comes back by it', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const id = await place(trader, { ...TRAILING, callbackRate: '0.01' })
    expect(await rowOf(trader, id)).toMatchObject({
      ...{ extreme_price: 60_000, trigger_price: 59_400, callback_rate: 0.01 },
    })
    moveTo(fixture, 62_000)
    expect(await rowOf(trader, id)).toMatchObject({ extreme_price: 62_000, trigger_price: 61_380 })
    fixture.restart()
    moveTo(fixture, 61_381)
    expect((await rowOf(trader, id)).algo_status).toBe('NEW')
    moveTo(fixture, 61_380)
    expect(await rowOf(trader, id)).toMatchObject({ algo_status: 'FILLED', extreme_price: 62_000 })
    expect(await heldOf(trader)).toBe(0)
  })

  test('waits for its activation, and may stay behind by a distance', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await hold(trader)
    const id = await place(trader, { ...TRAILING, activatedPrice: '60500', callbackValue: 100 })
    moveTo(fixture, 59_800)
    expect(await rowOf(trader, id)).toMatchObject({ is_activated: false, algo_status: 'NEW' })
    moveTo(fixture, 60_500)
    expect(await rowOf(trader, id)).toMatchObject({ is_activated: true, trigger_price: 60_400 })
    moveTo(fixture, 60_399)
    expect((await rowOf(trader, id)).algo_status).toBe('FILLED')
  })

  test('of a short position trails from above', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await trader.order({ order_type: 'MARKET', order_price: null, side: 'SELL' })
    const id = await place(trader, { ...TRAILING, side: 'BUY', callbackValue: '200' })
    moveTo(fixture, 59_000)
    moveTo(fixture, 59_199)
    expect((await rowOf(trader, id)).algo_status).toBe('NEW')
    moveTo(fixture, 59_200)
    expect((await rowOf(trader, id)).algo_status).toBe('FILLED')
  })

  test.each([
    { is: 'no distance', fields: {} },
    { is: 'two distances', fields: { callbackRate: '0.1', callbackValue: '10' } },
    { is: 'a rate of one', fields: { callbackRate: '1' } },
    { is: 'a limit', fields: { callbackRate: '0.1', type: 'LIMIT', price: 60_000 } },
    { is: 'an activation of nothing', fields: { callbackRate: '0.1', activatedPrice: '0' } },
  ])('with $is is refused', async ({ fields }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    expect(await trader.post('/v1/algo/order', { ...TRAILING, ...fields })).toMatchObject({
      status: 400,
      code: -1005,
    })
  })
})
