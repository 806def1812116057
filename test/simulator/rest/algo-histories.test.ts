import { expect, test } from 'bun:test'
import { openVenueFixture } from '../fixture.ts'
import { place, STOP, TP_SL } from '../orders/conditional/calls.ts'
import { BTC } from '../past/small-feed.ts'

const LEG = { ...TP_SL.child_orders[1], client_order_id: 'leg-of-mine' }
const FIRST = {
  ...TP_SL,
  client_order_id: 'first-of-mine',
  child_orders: [TP_SL.child_orders[0], LEG],
}

// Slow: 600 orders are placed and cancelled through the venue's wire.
test('after 600 conditional orders an account’s oldest are all there, by id, by leg, by client’s id and by kind', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  const read = async (path: string) => (await trader.get(path)).data
  const end = (id: number) => trader.delete(`/v1/algo/order?order_id=${id}&symbol=${BTC}`)
  const placeAndEnd = async (body: object) => {
    const id = await place(trader, body)
    await end(id)
    fixture.sleep(60_000)
    return id
  }
  const first = await placeAndEnd(FIRST)
  const whole = await read(`/v1/algo/order/${first}`)
  const leg = whole.child_orders[1].algo_order_id
  const ids = [first]
  for (let at = 0; at < 600; at += 1) {
    ids.push(
      await placeAndEnd({ ...STOP, client_order_id: `stop-${at}`, order_tag: `tag-${at % 2}` }),
    )
    if (at % 200 === 0) fixture.restart()
  }
  // Not yet ended: it is listed with those that are.
  ids.push(await place(trader, { ...STOP, client_order_id: 'first-of-mine' }))

  const listed: number[] = []
  for (const page of [1, 2]) {
    const { meta, rows } = await read(`/v1/algo/orders?size=500&page=${page}`)
    expect(meta).toEqual({ total: 602, records_per_page: 500, current_page: page })
    listed.push(...rows.map(({ algo_order_id }: { algo_order_id: number }) => algo_order_id))
  }
  expect(listed).toEqual(ids.toReversed())
  expect(await read(`/v1/algo/order/${first}`)).toEqual(whole)
  expect(await read(`/v1/algo/order/${leg}`)).toEqual(whole.child_orders[1])
  expect(await read('/v1/algo/client/order/leg-of-mine')).toEqual(whole.child_orders[1])
  expect((await read('/v1/algo/client/order/first-of-mine')).algo_order_id).toBe(ids.at(-1))
  expect((await read('/v1/algo/client/order/stop-0')).algo_order_id).toBe(ids[1])
  expect((await trader.get('/v1/algo/client/order/stop-600')).code).toBe(-1006)
  expect((await trader.get(`/v1/algo/order/${first - 1}`)).code).toBe(-1006)

  const totals = ['algo_type=TP_SL', 'order_tag=tag-1', 'status=INCOMPLETE', 'is_triggered=true']
  const found = totals.map(async (query) => (await read(`/v1/algo/orders?${query}`)).meta.total)
  expect(await Promise.all(found)).toEqual([1, 300, 1, 0])
})
