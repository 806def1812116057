import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader, type VenueFixture } from '../fixture.ts'
import { BTC } from '../past/small-feed.ts'
import { consentsOf, passed } from './money/consents.ts'

const inboxOf = async (trader: Trader, query = '') =>
  (await trader.get(`/v1/notification/inbox/notifications${query}`)).data
const unreadOf = async (trader: Trader) => (await trader.get('/v1/notification/inbox/unread')).data
const typesOf = async (trader: Trader) =>
  (await inboxOf(trader)).rows.map((row: { message_type: string }) => row.message_type)

function announce(fixture: VenueFixture, text: string): void {
  fixture.exchange().simulation().engine.submit('announce', { id: 7, text }, fixture.nowMs())
  fixture.exchange().commit()
}

describe('the inbox', () => {
  test('tells of fills, in part and whole, to both sides', async () => {
    using fixture = openVenueFixture()
    const a = await fixture.trader('a')
    const b = await fixture.trader('b')
    expect((await inboxOf(a)).rows).toEqual([])
    expect(await unreadOf(a)).toEqual({ count: 0, last_id: 0 })
    const resting = await b.order({ side: 'SELL', order_price: 60_000, order_quantity: 0.5 })
    const taking = await a.order({ order_price: 60_000, order_quantity: 0.2 })
    const [notice] = (await inboxOf(a)).rows
    expect(notice).toMatchObject({
      message_type: 'ORDER_FILLED',
      type: 'TRADE',
      mark_read: 0,
      application_id: a.accountId,
      content_summary: 'Your order to buy 0.2 BTC-PERP has been filled: 0.2/0.2 at 60000.',
      content_raw: {
        symbol: BTC,
        side: 'BUY',
        order_id: taking.data.order_id,
        executed_price: 60_000,
        executed_quantity: 0.2,
        executed_timestamp: fixture.nowMs(),
      },
      created_time: fixture.nowMs(),
      announcement_id: 0,
    })
    const [other] = (await inboxOf(b)).rows
    expect(other).toMatchObject({
      message_type: 'ORDER_PARTIALLY_FILLED',
      content_raw: { order_id: resting.data.order_id, side: 'SELL' },
    })
    expect(other.content_summary).toContain('0.2/0.5 at 60000')
  })

  test('tells of settlements, liquidations and announcements, by type', async () => {
    using fixture = openVenueFixture({ faucet: 5_000_000_000n })
    const { settle } = consentsOf(fixture)
    const a = await fixture.trader('a')
    await a.order({ order_type: 'MARKET', order_price: null, order_quantity: 0.5 })
    await settle(a, 'a')
    passed(fixture, 5000)
    announce(fixture, 'A <new> market')
    fixture.move(BTC, 48_500)
    passed(fixture, 1000)
    const types = await typesOf(a)
    expect(types).toEqual(['LIQUIDATED', 'ANNOUNCEMENT', 'PNL_SETTLED', 'ORDER_FILLED'])
    const [liquidated] = (await inboxOf(a, '?type=TRADE')).rows
    const [row] = (await a.get('/v1/liquidations')).data.rows
    expect(liquidated.content_raw).toEqual({ liquidation_id: row.liquidation_id, symbols: [BTC] })
    const system = await inboxOf(a, '?type=SYSTEM')
    expect(system.meta.total).toBe(1)
    expect(system.rows[0]).toMatchObject({
      announcement_id: 7,
      content_summary: 'A <new> market',
      content: '<p>A &lt;new&gt; market</p>',
    })
    expect(await a.get('/v1/notification/inbox/notifications?type=OTHER')).toMatchObject({
      status: 400,
      code: -1005,
    })
    const late = await fixture.trader('late')
    expect((await inboxOf(late)).rows).toEqual([])
  })

  test('tells of an order whose trigger was met, to its owner alone', async () => {
    using fixture = openVenueFixture()
    const [a, b] = [await fixture.trader('a'), await fixture.trader('b')]
    await a.order({ order_type: 'MARKET', order_price: null })
    const { data } = await a.post('/v1/algo/order', {
      ...{ symbol: BTC, algo_type: 'STOP', type: 'MARKET', side: 'SELL', quantity: 0.1 },
      ...{ trigger_price: 59_000, trigger_price_type: 'MARK_PRICE', reduce_only: true },
    })
    expect(await typesOf(a)).toEqual(['ORDER_FILLED'])
    fixture.move(BTC, 56_000)
    passed(fixture, 1000)
    expect(await typesOf(a)).toEqual(['ALGO_ORDER_TRIGGERED', 'ORDER_FILLED'])
    const [notice] = (await inboxOf(a)).rows
    expect(notice).toMatchObject({
      content_summary: 'Your stop order to sell BTC-PERP was triggered at 59000.',
      content_raw: {
        symbol: BTC,
        side: 'SELL',
        algo_order_id: data.order_id ?? data.rows?.[0]?.order_id,
        trigger_price: 59_000,
      },
    })
    expect((await inboxOf(b)).rows).toEqual([])
  })

  test('remembers what was read, each or all, and after a restart', async () => {
    using fixture = openVenueFixture()
    const a = await fixture.trader('a')
    const b = await fixture.trader('b')
    for (const text of ['one', 'two', 'three']) announce(fixture, text)
    const [third, second] = (await inboxOf(a)).rows
    const mark = (query: string, body?: unknown) =>
      a.post(`/v1/notification/inbox/mark_read${query}`, body ?? {})
    expect(await mark(`?flag=1&ids=${third.id},${second.id}`)).toMatchObject({
      status: 200,
      body: { success: true },
    })
    expect(await unreadOf(a)).toEqual({ count: 1, last_id: third.id })
    fixture.restart()
    expect(await unreadOf(a)).toEqual({ count: 1, last_id: third.id })
    expect(await unreadOf(b)).toMatchObject({ count: 3 })
    await mark('', { flag: 0, ids: [second.id] })
    expect(await unreadOf(a)).toMatchObject({ count: 2 })
    await a.post('/v1/notification/inbox/mark_read_all?flag=1', {})
    expect(await unreadOf(a)).toMatchObject({ count: 0 })
    expect((await inboxOf(a)).rows).toMatchObject([
      { mark_read: 1 },
      { mark_read: 1 },
      { mark_read: 1 },
    ])
    for (const bad of ['?flag=2&ids=1', '?flag=1', '?flag=1&ids=x', '?ids=1'])
      expect(await mark(bad)).toMatchObject({ status: 400, code: -1005 })
    expect(await unreadOf(b)).toMatchObject({ count: 3 })
  })

  test('itself is the list of its notifications, and nobody reads another’s', async () => {
    using fixture = openVenueFixture()
    const a = await fixture.trader('a')
    announce(fixture, 'hello')
    for (const query of ['', '?size=1', '?type=TRADE'])
      expect((await a.get(`/v1/notification/inbox${query}`)).data).toEqual(await inboxOf(a, query))
    expect((await inboxOf(a)).rows).toHaveLength(1)
    for (const path of ['/v1/notification/inbox', '/v1/notification/inbox/notifications'])
      expect(await fixture.send({ method: 'GET', path, headers: {} })).toMatchObject({
        code: -1002,
      })
  })
})
