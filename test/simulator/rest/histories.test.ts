import { expect, test } from 'bun:test'
import { selectedPage } from '../../../src/simulator/messages/page.ts'
import { openVenueFixture, type Trader } from '../fixture.ts'
import { BTC, ETH } from '../past/small-feed.ts'

type Fill = {
  readonly id: number
  readonly order_id: number
  readonly side: string
  readonly executed_price: number
  readonly executed_quantity: number
  readonly symbol: string
}

/** All rows of a paged path. */
async function allRows<Row>(trader: Trader, path: string) {
  const rows: Row[] = []
  let total = Number.POSITIVE_INFINITY
  for (let page = 1; rows.length < total; page += 1) {
    const { data } = await trader.get(
      `${path}${path.includes('?') ? '&' : '?'}size=500&page=${page}`,
    )
    if (data.rows.length === 0) break
    rows.push(...data.rows)
    total = data.meta.total
  }
  return { rows, total }
}

const sum = (fills: readonly Fill[], of: (fill: Fill) => number) =>
  fills.reduce((total, fill) => total + of(fill), 0)

/** Orders of more than the least take two of these. */
const QUOTES = {
  bids: [
    [59_999, 0.001],
    [59_990, 2],
  ],
  asks: [
    [60_001, 0.001],
    [60_010, 2],
  ],
} as const

/** Buys and sells BTC and ETH at the market so many times, a minute after each other, in three sizes. */
async function tradeMuch(
  fixture: ReturnType<typeof openVenueFixture>,
  trader: Trader,
  times: number,
) {
  for (let at = 0; at < times; at += 1) {
    const symbol = at % 4 === 3 ? ETH : BTC
    fixture.quote(BTC, QUOTES)
    const fields = {
      symbol,
      order_type: 'MARKET',
      order_price: null,
      client_order_id: `mine-${at}`,
    }
    const { body } = await trader.order({
      ...fields,
      side: at % 2 ? 'SELL' : 'BUY',
      order_quantity: (1 + (at % 3)) / (symbol === ETH ? 50 : 1000),
    })
    expect(body).toMatchObject({ success: true })
    fixture.sleep(60_000)
    if (at % 50 === 0) fixture.restart()
  }
}

// Slow: 400 orders are traded through the venue's wire.
test('after 400 market orders an account’s fills are all there: they sum to its volume, its positions and its orders', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  await tradeMuch(fixture, trader, 400)
  fixture.advance()
  const { rows: fills, total } = await allRows<Fill>(trader, '/v1/trades')
  expect([fills.length, new Set(fills.map(({ id }) => id)).size]).toEqual([total, total])
  expect(total).toBeGreaterThan(399)
  const { data: statistics } = await trader.get('/v1/client/statistics')
  const volume = sum(fills, (fill) => fill.executed_price * fill.executed_quantity)
  expect(statistics.perp_trading_volume_ytd).toBeCloseTo(volume, 4)
  const signed = (fill: Fill) => (fill.side === 'BUY' ? 1 : -1) * fill.executed_quantity
  for (const symbol of [BTC, ETH]) {
    const own = await allRows<Fill>(trader, `/v1/trades?symbol=${symbol}`)
    expect(own.rows).toEqual(fills.filter((fill) => fill.symbol === symbol))
    const { data: position } = await trader.get(`/v1/position/${symbol}`)
    expect(position.position_qty).toBeCloseTo(sum(own.rows, signed), 8)
  }
  const orders = await allRows<{ order_id: number; client_order_id: string; executed: number }>(
    trader,
    '/v1/orders?status=COMPLETED',
  )
  expect(orders.total).toBe(400)
  const [oldest] = orders.rows.slice(-1)
  expect(oldest?.client_order_id).toBe('mine-0')
  for (const path of [`/v1/order/${oldest?.order_id}`, '/v1/client/order/mine-0'])
    expect((await trader.get(path)).data).toEqual(oldest)
  const ofOldest = (await trader.get(`/v1/order/${oldest?.order_id}/trades`)).data.rows
  expect(ofOldest).toEqual(fills.filter(({ order_id }) => order_id === oldest?.order_id))
  expect((await trader.get(`/v1/trade/${fills.at(-1)?.id}`)).data).toEqual(fills.at(-1))
  fixture.restart()
  expect((await allRows(trader, '/v1/trades')).rows).toEqual(fills)
})

test('the world’s snapshot does not grow with the fills of an account', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('a')
  const saved = () => {
    fixture.advance()
    fixture.exchange().save()
    return [...fixture.store().load('engine-part')].reduce(
      (chars, { json }) => chars + json.length,
      0,
    )
  }
  await tradeMuch(fixture, trader, 300)
  const before = saved()
  await tradeMuch(fixture, trader, 300)
  expect(saved() / before).toBeLessThan(1.3)
})

test('a page says how many older rows are kept no more, and nothing where there are none', () => {
  const page = (dropped: number) =>
    selectedPage(
      { total: 3, dropped, rows: (start, count) => [7, 8, 9].slice(start, start + count) },
      new URLSearchParams('size=2&page=2'),
      (row) => row + 1,
    )
  expect(page(128)).toEqual({
    meta: { total: 3, records_per_page: 2, current_page: 2, dropped: 128 },
    rows: [10],
  })
  expect(page(0).meta).toEqual({ total: 3, records_per_page: 2, current_page: 2 })
})
