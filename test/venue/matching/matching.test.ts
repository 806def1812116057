import { describe, expect, test } from 'bun:test'
import { BTC, BUCKET_MS, d } from '../market/small-feed.ts'
import { openDesk, type Trader } from '../trading-desk.ts'

const DAY_MS = 86_400_000

async function orderOf(trader: Trader, id: number) {
  return (await trader.get(`/v1/order/${id}`)).data
}

async function placed(trader: Trader, fields: Record<string, unknown>): Promise<number> {
  const answer = await trader.order(fields)
  expect(answer.status).toBe(200)
  return answer.data.order_id
}

async function executedOf(trader: Trader, id: number): Promise<number> {
  return (await orderOf(trader, id)).executed
}

describe('price and time', () => {
  test('better prices go first, then older orders', async () => {
    using desk = openDesk()
    const [a, b, c, taker] = await Promise.all(
      ['a', 'b', 'c', 't'].map((name) => desk.trader(name)),
    )
    if (!a || !b || !c || !taker) throw new Error('four traders')
    const older = await placed(a, { order_price: 60_000, order_quantity: 0.1 })
    const younger = await placed(b, { order_price: 60_000, order_quantity: 0.1 })
    const better = await placed(c, { order_price: 60_000.5, order_quantity: 0.1 })
    await placed(taker, { side: 'SELL', order_price: 60_000, order_quantity: 0.15 })
    expect(await executedOf(c, better)).toBe(0.1)
    expect(await executedOf(a, older)).toBe(0.05)
    expect(await executedOf(b, younger)).toBe(0)
    const { rows } = (await taker.get('/v1/trades')).data
    expect(rows.map((row: { executed_price: number }) => row.executed_price)).toEqual([
      60_000, 60_000.5,
    ])
  })

  test('an order stands behind the seeded level of its bucket and ahead of the next one', async () => {
    using desk = openDesk()
    const maker = await desk.trader('a')
    const taker = await desk.trader('b')
    const id = await placed(maker, { order_price: 59_999, order_quantity: 0.1 })
    await placed(taker, { side: 'SELL', order_price: 59_999, order_quantity: 0.1 })
    expect(await executedOf(maker, id)).toBe(0)
    desk.sleep(BUCKET_MS)
    await placed(taker, { side: 'SELL', order_price: 59_999, order_quantity: 0.1 })
    expect(await executedOf(maker, id)).toBe(0.1)
  })

  test('seeded liquidity can be taken once a bucket', async () => {
    using desk = openDesk()
    const trader = await desk.trader('a')
    const ioc = { order_type: 'IOC', order_price: 60_001, order_quantity: 0.7 }
    expect(await executedOf(trader, await placed(trader, ioc))).toBe(0.7)
    expect(desk.book(BTC).asks[0]).toEqual({ price: d('60001'), quantity: d('0.3') })
    expect(await executedOf(trader, await placed(trader, ioc))).toBe(0.3)
    expect(desk.book(BTC).asks[0]?.price).toBe(d('60010'))
    desk.sleep(BUCKET_MS)
    expect(desk.book(BTC).asks[0]).toEqual({ price: d('60001'), quantity: d('1') })
  })

  test('an account never trades with itself: its older order gives way', async () => {
    using desk = openDesk()
    const trader = await desk.trader('a')
    const resting = await placed(trader, { order_price: 60_000.5, order_quantity: 0.1 })
    const id = await placed(trader, { side: 'SELL', order_price: 59_999, order_quantity: 0.2 })
    expect(await orderOf(trader, resting)).toMatchObject({ status: 'CANCELLED', executed: 0 })
    expect(await orderOf(trader, id)).toMatchObject({
      status: 'FILLED',
      average_executed_price: 59_999,
    })
  })

  test('hidden quantity is not shown, matches before the visible part and pays as taker', async () => {
    using desk = openDesk()
    const maker = await desk.trader('a')
    const taker = await desk.trader('b')
    await placed(maker, { order_price: 60_000, order_quantity: 0.3, visible_quantity: 0.1 })
    expect(desk.book(BTC).bids[0]).toEqual({ price: d('60000'), quantity: d('0.1') })
    await placed(taker, { side: 'SELL', order_price: 60_000, order_quantity: 0.25 })
    const { rows } = (await maker.get('/v1/trades')).data
    expect(rows).toMatchObject([
      { executed_quantity: 0.05, is_maker: 1, fee: 0.6 },
      { executed_quantity: 0.2, is_maker: 0, fee: 7.2 },
    ])
    expect(desk.book(BTC).bids[0]).toEqual({ price: d('60000'), quantity: d('0.05') })
  })

  test('POST_ONLY meets a hidden order as maker', async () => {
    using desk = openDesk()
    const hidden = await desk.trader('a')
    const poster = await desk.trader('b')
    await placed(hidden, { order_price: 60_000, order_quantity: 0.1, visible_quantity: 0 })
    const id = await placed(poster, { side: 'SELL', order_type: 'POST_ONLY', order_price: 60_000 })
    expect(await orderOf(poster, id)).toMatchObject({ status: 'FILLED' })
    expect((await poster.get('/v1/trades')).data.rows[0].is_maker).toBe(1)
    expect((await hidden.get('/v1/trades')).data.rows[0].is_maker).toBe(0)
  })
})

describe('a market that moves', () => {
  test('fills a resting order as maker at its own price when the best price reaches it', async () => {
    using desk = openDesk()
    const trader = await desk.trader('a')
    const id = await placed(trader, { order_price: 59_500, order_quantity: 0.1 })
    const atMs = desk.nowMs() + BUCKET_MS
    desk.feed.stage(BTC, {
      fromMs: atMs,
      mark: '59480',
      asks: [['59490', '1']],
      bids: [['59470', '1']],
    })
    expect(await executedOf(trader, id)).toBe(0)
    desk.sleep(BUCKET_MS + 1)
    expect(await orderOf(trader, id)).toMatchObject({
      status: 'FILLED',
      average_executed_price: 59_500,
      updated_time: atMs,
    })
    expect((await trader.get('/v1/trades')).data.rows).toMatchObject([{ is_maker: 1, fee: 1.19 }])
    expect(desk.feed.recorded).toMatchObject([{ tick: { side: 'SELL', price: d('59500') } }])
    expect(desk.book(BTC).asks[0]).toEqual({ price: d('59490'), quantity: d('0.9') })
  })

  test('fills no more than the seeded quantity, the better order first', async () => {
    using desk = openDesk()
    const [a, b] = [await desk.trader('a'), await desk.trader('b')]
    const first = await placed(a, { side: 'SELL', order_price: 60_400, order_quantity: 0.2 })
    const second = await placed(b, { side: 'SELL', order_price: 60_500, order_quantity: 0.2 })
    const atMs = desk.nowMs() + BUCKET_MS
    desk.feed.stage(BTC, {
      fromMs: atMs,
      mark: '60600',
      bids: [['60590', '0.3']],
      asks: [['60610', '1']],
    })
    desk.sleep(BUCKET_MS)
    desk.venue().advance(desk.nowMs())
    expect(await executedOf(a, first)).toBe(0.2)
    expect(await executedOf(b, second)).toBe(0.1)
    expect(desk.book(BTC).bids).toEqual([])
  })

  test('a seeded trade through the price fills; one at the price, or from before the order, does not', async () => {
    using desk = openDesk()
    const trader = await desk.trader('a')
    const tick = { side: 'SELL', quantity: d('0.04') } as const
    desk.feed.trade(BTC, { ...tick, atMs: desk.nowMs(), price: d('59000') })
    const id = await placed(trader, { order_price: 59_900, order_quantity: 0.1 })
    desk.feed.trade(BTC, { ...tick, atMs: desk.nowMs() + 10, price: d('59900') })
    desk.sleep(20)
    expect(await executedOf(trader, id)).toBe(0)
    desk.feed.trade(BTC, { ...tick, atMs: desk.nowMs() + 10, price: d('59899.9') })
    desk.sleep(20)
    expect(await executedOf(trader, id)).toBe(0.04)
    desk.sleep(20)
    expect(await executedOf(trader, id)).toBe(0.04)
  })

  test('an order that the mark leaves outside the price range is cancelled', async () => {
    using desk = openDesk()
    const trader = await desk.trader('a')
    const near = await placed(trader, { side: 'SELL', order_price: 60_500 })
    const far = await placed(trader, { side: 'SELL', order_price: 63_000 })
    desk.feed.stage(BTC, { fromMs: desk.nowMs() + BUCKET_MS, mark: '62500', bids: [], asks: [] })
    desk.sleep(BUCKET_MS)
    expect(await orderOf(trader, near)).toMatchObject({ status: 'CANCELLED', executed: 0 })
    expect(await orderOf(trader, far)).toMatchObject({ status: 'NEW' })
  })

  test('after a day asleep the orders are looked at in a bounded number of steps', async () => {
    using desk = openDesk()
    const trader = await desk.trader('a')
    const ids: number[] = []
    for (let rung = 0; rung < 10; rung++)
      ids.push(await placed(trader, { order_price: 59_000 - rung, order_quantity: 0.01 }))
    const fromMs = desk.nowMs() + DAY_MS / 2
    desk.feed.stage(BTC, {
      fromMs,
      mark: '58995',
      asks: [['58995.5', '5']],
      bids: [['58994', '5']],
    })
    const looked = desk.feed.looks()
    desk.warp(DAY_MS)
    expect((await trader.get('/v1/orders?status=FILLED')).data.meta.total).toBe(5)
    expect((await trader.get('/v1/orders?status=NEW')).data.meta.total).toBe(5)
    expect(desk.feed.looks() - looked).toBeLessThan(4000)
  })
})
