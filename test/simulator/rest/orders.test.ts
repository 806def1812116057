import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader } from '../fixture.ts'
import { BTC, ETH } from '../past/small-feed.ts'

type Row = { readonly order_id: number; readonly status: string; readonly symbol: string }

async function rowsOf(trader: Trader, query = ''): Promise<Row[]> {
  return (await trader.get(`/v1/orders${query}`)).data.rows
}

/** One resting order in each market, one filled and one cancelled in BTC. */
async function busy(trader: Trader) {
  const place = async (fields: object) =>
    (await trader.order({ ...fields })).data.order_id as number
  const ids = {
    btc: await place({}),
    eth: await place({ symbol: ETH, order_price: 2900, side: 'BUY', order_tag: 'campaign' }),
    filled: await place({ order_type: 'MARKET', order_price: null }),
    cancelled: await place({ side: 'SELL', order_price: 61_000 }),
  }
  await trader.delete(`/v1/order?order_id=${ids.cancelled}&symbol=${BTC}`)
  return ids
}

describe('orders', () => {
  test('an acknowledgement has the wire’s fields', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const { data } = await trader.order({ client_order_id: 'x1' })
    expect(data).toEqual({
      order_id: expect.any(Number),
      client_order_id: 'x1',
      order_type: 'LIMIT',
      order_price: 59_000,
      order_quantity: 0.1,
      order_amount: null,
      error_message: 'none',
    })
  })

  test('a row has the wire’s fields', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const { data } = await trader.order({ order_tag: 'tag', visible_quantity: 0.05 })
    expect((await trader.get(`/v1/order/${data.order_id}`)).data).toEqual({
      order_id: data.order_id,
      user_id: expect.any(Number),
      price: 59_000,
      type: 'LIMIT',
      quantity: 0.1,
      amount: null,
      executed_quantity: 0,
      total_executed_quantity: 0,
      visible_quantity: 0.05,
      visible: 0.05,
      symbol: BTC,
      side: 'BUY',
      status: 'NEW',
      total_fee: 0,
      fee_asset: 'USDC',
      client_order_id: null,
      average_executed_price: 0,
      created_time: fixture.nowMs(),
      updated_time: fixture.nowMs(),
      realized_pnl: 0,
      executed: 0,
      reduce_only: false,
      order_tag: 'tag',
      margin_mode: 'CROSS',
    })
  })

  test('statuses, markets, sides, types and tags select', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const ids = await busy(trader)
    const chosen = async (query: string) => (await rowsOf(trader, query)).map((row) => row.order_id)
    expect(await chosen('')).toEqual([ids.cancelled, ids.filled, ids.eth, ids.btc])
    expect(await chosen('?sort_by=CREATED_TIME_ASC')).toEqual([
      ids.btc,
      ids.eth,
      ids.filled,
      ids.cancelled,
    ])
    expect(await chosen('?status=INCOMPLETE')).toEqual([ids.eth, ids.btc])
    expect(await chosen('?status=COMPLETED')).toEqual([ids.cancelled, ids.filled])
    expect(await chosen('?status=FILLED')).toEqual([ids.filled])
    expect(await chosen('?status=REJECTED')).toEqual([])
    expect(await chosen(`?symbol=${ETH}`)).toEqual([ids.eth])
    expect(await chosen('?side=SELL')).toEqual([ids.cancelled])
    expect(await chosen('?order_type=MARKET')).toEqual([ids.filled])
    expect(await chosen('?order_tag=campaign')).toEqual([ids.eth])
    expect(await chosen(`?start_t=${fixture.nowMs() + 1}`)).toEqual([])
  })

  test('pages add up', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const ids = await busy(trader)
    const page = (await trader.get('/v1/orders?page=2&size=3')).data
    expect(page.meta).toEqual({ total: 4, records_per_page: 3, current_page: 2 })
    expect(page.rows).toMatchObject([{ order_id: ids.btc }])
    expect((await trader.get('/v1/orders?size=9999')).data.meta.records_per_page).toBe(500)
  })

  test.each([
    '?status=OPEN',
    '?status=constructor',
    '?page=0',
    '?size=-1',
    '?start_t=x',
    '?sort_by=PRICE',
  ])('the query %s is refused', async (query) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    expect(await trader.get(`/v1/orders${query}`)).toMatchObject({ status: 400, code: -1005 })
  })

  test('nobody reads or cancels another’s orders and trades', async () => {
    using fixture = openVenueFixture()
    const [owner, thief] = [await fixture.trader('a'), await fixture.trader('b')]
    const ids = await busy(owner)
    const [trade] = (await owner.get('/v1/trades')).data.rows
    for (const path of [`/v1/order/${ids.btc}`, `/v1/trade/${trade.id}`])
      expect(await thief.get(path)).toMatchObject({ status: 400, code: -1006 })
    expect(await thief.delete(`/v1/order?order_id=${ids.btc}&symbol=${BTC}`)).toMatchObject({
      code: -1006,
    })
    await thief.delete('/v1/orders')
    await thief.delete(`/v1/batch-order?order_ids=${ids.btc},${ids.eth}`)
    expect(await rowsOf(owner, '?status=INCOMPLETE')).toHaveLength(2)
    expect((await thief.get('/v1/trades')).data.rows).toEqual([])
  })
})

describe('cancelling', () => {
  test('takes the order out of the book, once', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const { data } = await trader.order({ order_price: 60_000 })
    const path = `/v1/order?order_id=${data.order_id}&symbol=${BTC}`
    expect((await trader.delete(path)).data).toEqual({ status: 'CANCEL_SENT' })
    expect(fixture.book(BTC).bids[0]?.price).toBe(5_999_900_000_000n)
    expect(await trader.delete(path)).toMatchObject({ status: 400, code: -1006 })
    expect(await rowsOf(trader, '?status=CANCELLED')).toHaveLength(1)
  })

  test.each([`?order_id=1`, `?symbol=${BTC}`, '', '?order_id=x&symbol=PERP_BTC_USDC'])(
    'the query %p is refused',
    async (query) => {
      using fixture = openVenueFixture()
      const trader = await fixture.trader('a')
      await trader.order()
      expect(await trader.delete(`/v1/order${query}`)).toMatchObject({ status: 400, code: -1005 })
      expect(await rowsOf(trader, '?status=INCOMPLETE')).toHaveLength(1)
    },
  )

  test('all orders go, or those of one market', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    await busy(trader)
    const answer = await trader.delete(`/v1/orders?symbol=${BTC}`)
    expect(answer.data).toEqual({ status: 'CANCEL_ALL_SENT' })
    expect(await rowsOf(trader, '?status=INCOMPLETE')).toMatchObject([{ symbol: ETH }])
    await trader.delete('/v1/orders')
    expect(await rowsOf(trader, '?status=INCOMPLETE')).toEqual([])
  })
})

describe('batches', () => {
  const order = {
    symbol: BTC,
    side: 'BUY',
    order_type: 'LIMIT',
    order_price: 59_000,
    order_quantity: 0.1,
  }

  test('each order stands for itself', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const orders = [
      { ...order, client_order_id: 'a1', reduce_only: true },
      { ...order, client_order_id: 'a2', order_price: 1 },
    ]
    const { rows } = (await trader.post('/v1/batch-order', { orders })).data
    expect(rows).toMatchObject([
      { order_id: expect.any(Number), client_order_id: 'a1', error_message: 'none' },
      { order_id: 0, client_order_id: 'a2', order_price: 1, order_quantity: 0.1 },
    ])
    expect(rows[1].error_message).not.toBe('none')
    expect(await rowsOf(trader)).toHaveLength(1)
  })

  test.each([{ orders: [] }, { orders: Array(11).fill(order) }, { orders: 'all' }, {}])(
    'a list of another size is refused whole',
    async (body) => {
      using fixture = openVenueFixture()
      const trader = await fixture.trader('a')
      expect(await trader.post('/v1/batch-order', body)).toMatchObject({ status: 400, code: -1005 })
      expect(await rowsOf(trader)).toEqual([])
    },
  )

  test('a batch of cancels takes the open ones', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const ids = await busy(trader)
    const answer = await trader.delete(`/v1/batch-order?order_ids=${ids.btc},${ids.cancelled},7`)
    expect(answer.data).toEqual({ status: 'CANCEL_ALL_SENT' })
    expect(await rowsOf(trader, '?status=INCOMPLETE')).toMatchObject([{ order_id: ids.eth }])
    const many = Array.from({ length: 11 }, (_, at) => at).join(',')
    expect(await trader.delete(`/v1/batch-order?order_ids=${many}`)).toMatchObject({ code: -1005 })
  })
})

test('a trade is found by its number, with the wire’s fields', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  const { filled } = await busy(trader)
  const { rows, meta } = (await trader.get(`/v1/trades?symbol=${BTC}&start_t=1`)).data
  expect(meta.total).toBe(1)
  expect((await trader.get(`/v1/trade/${rows[0].id}`)).data).toEqual({
    id: rows[0].id,
    symbol: BTC,
    fee: 3.60006,
    fee_asset: 'USDC',
    side: 'BUY',
    order_id: filled,
    executed_price: 60_001,
    executed_quantity: 0.1,
    executed_timestamp: fixture.nowMs(),
    is_maker: 0,
    realized_pnl: 0,
    match_id: expect.any(Number),
    margin_token: 'USDC',
    margin_change_qty: 0,
    margin_mode: 'CROSS',
    order_enum_fee: null,
    order_enum_fee_rate: null,
  })
  expect((await trader.get(`/v1/trades?symbol=${ETH}`)).data.rows).toEqual([])
})
