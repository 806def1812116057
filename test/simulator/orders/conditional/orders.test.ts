import { describe, expect, test } from 'bun:test'
import { openVenueFixture } from '../../fixture.ts'
import { BTC, ETH } from '../../past/small-feed.ts'
import { heldOf, moveTo, place, rowOf, STOP } from './calls.ts'

describe('an algo order that is refused', () => {
  test.each([
    { is: 'of no kind', fields: { algo_type: 'ICEBERG' }, code: -1005 },
    { is: 'without a side', fields: { side: null }, code: -1005 },
    { is: 'without a trigger', fields: { trigger_price: null }, code: -1005 },
    { is: 'without a quantity', fields: { quantity: null }, code: -1005 },
    { is: 'with a trigger off the tick', fields: { trigger_price: 61_000.05 }, code: -1103 },
    { is: 'with a trigger beyond prices', fields: { trigger_price: 2_000_000 }, code: -1103 },
    { is: 'with a quantity off the step', fields: { quantity: 0.00015 }, code: -1104 },
    { is: 'with too large a quantity', fields: { quantity: 101 }, code: -1104 },
    { is: 'worth too little', fields: { quantity: 0.0001 }, code: -1102 },
    { is: 'a limit without a price', fields: { type: 'LIMIT' }, code: -1005 },
    { is: 'by another price than the mark', fields: { trigger_price_type: 'LAST' }, code: -1005 },
    { is: 'with an unknown field', fields: { leverage: 3 }, code: -1004 },
    { is: 'with a tag of nobody', fields: { order_tag: 'enum:demo:NOBODY' }, code: -1005 },
    { is: 'in no market', fields: { symbol: 'PERP_NOPE_USDC' }, code: -1005 },
    { is: 'with legs', fields: { child_orders: [{}] }, code: -1005 },
  ])('$is leaves nothing behind', async ({ fields, code }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const answer = await trader.post('/v1/algo/order', { ...STOP, ...fields })
    expect(answer).toMatchObject({ code, body: { success: false } })
    expect((await trader.get('/v1/algo/orders')).data.rows).toEqual([])
  })

  test('repeats the client’s id of an open one; afterwards the id is free', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const named = { ...STOP, client_order_id: 'mine' }
    await place(trader, named)
    expect(await trader.post('/v1/algo/order', named)).toMatchObject({ status: 409, code: -1007 })
    await trader.delete(`/v1/algo/client/order?client_order_id=mine&symbol=${BTC}`)
    expect((await trader.post('/v1/algo/order', named)).status).toBe(200)
  })

  test('needs a key that trades', async () => {
    using fixture = openVenueFixture()
    const reader = await fixture.trader('a', { scope: 'read' })
    expect((await reader.post('/v1/algo/order', STOP)).status).toBe(401)
  })
})

describe('algo orders', () => {
  test('are listed by market, kind, side, state and page, the newest first', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const first = await place(trader, STOP)
    const second = await place(trader, { ...STOP, side: 'SELL', trigger_price: 50_000 })
    const third = await place(trader, { ...STOP, symbol: ETH, trigger_price: 3100, quantity: 1 })
    await trader.delete(`/v1/algo/order?order_id=${first}&symbol=${BTC}`)
    const listed = async (query: string) =>
      (await trader.get(`/v1/algo/orders${query}`)).data.rows.map(
        ({ algo_order_id }: { algo_order_id: number }) => algo_order_id,
      )
    expect(await listed('')).toEqual([third, second, first])
    expect(await listed('?status=INCOMPLETE')).toEqual([third, second])
    expect(await listed('?status=CANCELLED')).toEqual([first])
    expect(await listed(`?symbol=${ETH}`)).toEqual([third])
    expect(await listed('?side=SELL&algo_type=STOP')).toEqual([second])
    expect(await listed('?algo_type=BRACKET')).toEqual([])
    expect(await listed('?is_triggered=true')).toEqual([])
    expect(await listed('?size=1&page=2')).toEqual([second])
    expect((await trader.get('/v1/algo/orders?algo_type=ICEBERG')).code).toBe(-1005)
    expect((await trader.get('/v1/algo/orders?status=OPEN')).code).toBe(-1005)
  })

  test('are one’s own: nobody else reads, changes or cancels them', async () => {
    using fixture = openVenueFixture()
    const [trader, other] = [await fixture.trader('a'), await fixture.trader('b')]
    const id = await place(trader, STOP)
    expect((await other.get(`/v1/algo/order/${id}`)).code).toBe(-1006)
    expect((await other.put('/v1/algo/order', { order_id: id, quantity: 1 })).code).toBe(-1006)
    expect((await other.delete(`/v1/algo/order?order_id=${id}&symbol=${BTC}`)).code).toBe(-1006)
    await other.delete('/v1/algo/orders')
    expect((await rowOf(trader, id)).algo_status).toBe('NEW')
  })

  test('are cancelled once, in their own market, or all at once', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, STOP)
    const path = `/v1/algo/order?order_id=${id}&symbol=`
    expect((await trader.delete(`${path}${ETH}`)).code).toBe(-1006)
    expect((await trader.delete(`${path}${BTC}`)).data).toEqual({ status: 'CANCEL_SENT' })
    expect((await trader.delete(`${path}${BTC}`)).code).toBe(-1006)
    await place(trader, STOP)
    const eth = await place(trader, { ...STOP, symbol: ETH, trigger_price: 3100, quantity: 1 })
    expect((await trader.delete(`/v1/algo/orders?symbol=${BTC}`)).data).toEqual({
      status: 'CANCEL_ALL_SENT',
    })
    const open = (await trader.get('/v1/algo/orders?status=INCOMPLETE')).data.rows
    expect(open).toMatchObject([{ algo_order_id: eth }])
    moveTo(fixture, 61_000)
    expect(await heldOf(trader)).toBe(0)
  })

  test('that wait can be changed, those that were sent cannot', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const id = await place(trader, STOP)
    const edit = (fields: object) => trader.put('/v1/algo/order', { order_id: id, ...fields })
    expect((await edit({ trigger_price: 61_500, quantity: 0.2 })).data).toEqual({
      status: 'EDIT_SENT',
    })
    expect(await rowOf(trader, id)).toMatchObject({ trigger_price: 61_500, quantity: 0.2 })
    moveTo(fixture, 61_000)
    expect((await rowOf(trader, id)).algo_status).toBe('NEW')
    expect((await edit({ price: 60_000 })).code).toBe(-1005)
    expect((await edit({ quantity: 0.00015 })).code).toBe(-1104)
    expect((await edit({})).code).toBe(-1005)
    moveTo(fixture, 61_500)
    expect(await rowOf(trader, id)).toMatchObject({ algo_status: 'FILLED', executed_quantity: 0.2 })
    expect((await edit({ trigger_price: 60_000 })).code).toBe(-1006)
  })
})
