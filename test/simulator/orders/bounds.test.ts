import { expect, test } from 'bun:test'
import { openVenueFixture } from '../fixture.ts'
import { BTC } from '../past/small-feed.ts'

test('a client order id of 36 characters and a tag of 128 are kept as they are', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  const own = { client_order_id: 'x'.repeat(36), order_tag: 'y'.repeat(128) }
  const { data } = await trader.order(own)
  expect((await trader.get(`/v1/order/${data.order_id}`)).data).toMatchObject(own)
})

test('an account has at most 500 open orders; one more is refused, also after a restart', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  const small = { symbol: BTC, side: 'BUY', order_type: 'LIMIT', order_price: 59_000 }
  const orders = Array.from({ length: 10 }, () => ({ ...small, order_quantity: 0.0003 }))
  for (let batch = 0; batch < 50; batch++) {
    const { rows } = (await trader.post('/v1/batch-order', { orders })).data
    for (const row of rows) expect(row.error_message).toBe('none')
  }
  const next = () => trader.order({ order_quantity: 0.0003 })
  const totalOf = async () => (await trader.get('/v1/orders?status=INCOMPLETE')).data.meta.total
  expect(await next()).toMatchObject({
    status: 400,
    code: -1012,
    body: { message: 'Too many open orders' },
  })
  expect(await totalOf()).toBe(500)
  fixture.restart()
  expect(await totalOf()).toBe(500)
  const [{ order_id }] = (await trader.get('/v1/orders?status=INCOMPLETE&size=1')).data.rows
  await trader.delete(`/v1/order?symbol=${BTC}&order_id=${order_id}`)
  expect(await next()).toMatchObject({ status: 200 })
  expect(await totalOf()).toBe(500)
})
