import { describe, expect, test } from 'bun:test'
import { openVenueFixture } from '../fixture.ts'
import { BTC, ETH } from '../past/small-feed.ts'

const MARKET = { order_type: 'MARKET', order_price: null }

describe('orders by the client’s own id', () => {
  test('are read, open or over, and cancelled', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const other = await fixture.trader('b')
    const { order_id } = (await trader.order({ client_order_id: 'mine-1' })).data
    expect((await trader.get('/v1/client/order/mine-1')).data).toMatchObject({
      order_id,
      status: 'NEW',
    })
    expect(await other.get('/v1/client/order/mine-1')).toMatchObject({ status: 400, code: -1006 })
    const path = `/v1/client/order?client_order_id=mine-1&symbol=${BTC}`
    expect((await other.delete(path)).code).toBe(-1006)
    expect((await trader.delete(path.replace(BTC, ETH))).code).toBe(-1006)
    expect((await trader.delete(path)).data).toEqual({ status: 'CANCEL_SENT' })
    expect((await trader.delete(path)).code).toBe(-1006)
    expect((await trader.get('/v1/client/order/mine-1')).data.status).toBe('CANCELLED')
  })

  test('are cancelled ten at a time', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    for (const id of ['a', 'b', 'c']) await trader.order({ client_order_id: id })
    const cancel = (ids: string) => trader.delete(`/v1/client/batch-order?client_order_ids=${ids}`)
    expect((await cancel('a,c,gone')).data).toEqual({ status: 'CANCEL_ALL_SENT' })
    const open = (await trader.get('/v1/orders?status=INCOMPLETE')).data.rows
    expect(open).toMatchObject([{ client_order_id: 'b' }])
    expect((await cancel('1,2,3,4,5,6,7,8,9,10,11')).code).toBe(-1005)
  })
})

test('an order’s own trades are told apart from all others', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  const other = await fixture.trader('b')
  await trader.order(MARKET)
  const { order_id } = (await trader.order({ ...MARKET, order_quantity: 0.2 })).data
  const path = `/v1/order/${order_id}/trades`
  expect((await trader.get(path)).data.rows).toMatchObject([{ order_id, executed_quantity: 0.2 }])
  expect(await other.get(path)).toMatchObject({ status: 400, code: -1006 })
})

test('positions have a row for each market with open orders alone', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  expect((await trader.get('/v1/positions')).data.rows).toEqual([])
  const { order_id } = (await trader.order()).data
  expect((await trader.get('/v1/positions')).data.rows).toMatchObject([
    { symbol: BTC, position_qty: 0, pending_long_qty: 0.1 },
  ])
  await trader.delete(`/v1/order?order_id=${order_id}&symbol=${BTC}`)
  expect((await trader.get('/v1/positions')).data.rows).toEqual([])
})

describe('a dead man’s switch', () => {
  const STOP = {
    ...{ symbol: BTC, algo_type: 'STOP', type: 'MARKET', side: 'BUY', quantity: 0.1 },
    trigger_price: 61_000,
  }

  test('cancels everything that waits when its time has come on the venue’s clock, and no sooner', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const open = async () => [
      (await trader.get('/v1/orders?status=INCOMPLETE')).data.meta.total,
      (await trader.get('/v1/algo/orders?status=INCOMPLETE')).data.meta.total,
    ]
    const arm = (trigger_after: unknown) =>
      trader.post('/v1/order/cancel_all_after', { trigger_after })
    await trader.order()
    await trader.post('/v1/algo/order', STOP)
    expect((await arm(10_000)).data).toEqual({ expected_trigger_time: fixture.nowMs() + 10_000 })
    fixture.warp(9_000)
    expect((await arm(10_000)).status).toBe(200)
    fixture.warp(9_999)
    expect(await open()).toEqual([1, 1])
    fixture.restart()
    fixture.warp(1)
    expect(await open()).toEqual([0, 0])
    await trader.order()
    fixture.warp(60_000)
    expect(await open()).toEqual([1, 0])
  })

  test('is taken back by zero, and takes no other times than it should', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const arm = (trigger_after: unknown) =>
      trader.post('/v1/order/cancel_all_after', { trigger_after })
    await trader.order()
    await arm(5_000)
    expect((await arm(0)).data).toEqual({ expected_trigger_time: 0 })
    for (const wrong of [4_999, 900_001, -1, 'soon', null])
      expect(await arm(wrong)).toMatchObject({ status: 400, code: -1005 })
    fixture.warp(900_000)
    expect((await trader.get('/v1/orders?status=INCOMPLETE')).data.meta.total).toBe(1)
  })
})
