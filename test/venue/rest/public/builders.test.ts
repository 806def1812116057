import { expect, test } from 'bun:test'
import { createLiveFeed } from '../../../../src/venue/feed/live-feed.ts'
import { createFeed } from '../../../../src/venue/past/seeded-feed.ts'
import { builderRows } from '../../../../src/venue/rest/public/builders.ts'
import { createRouter } from '../../../../src/venue/server/router.ts'
import { refusalOf } from '../../feed/calls.ts'
import { GENESIS_MS } from '../../past/small-feed.ts'
import { type Desk, openDesk, type Trader } from '../../trading-desk.ts'

const BTC = 'PERP_BTC_USDC'
const HOUR_MS = 3_600_000

/** A row's answer as a client of the desk would read it. */
function read(desk: Desk, path: string) {
  const exchange = desk.exchange()
  const feed = createLiveFeed(createFeed({ seed: 1, beginsAtMs: GENESIS_MS }), exchange.simulation)
  const find = createRouter(builderRows({ feed, exchange, beginsAtMs: GENESIS_MS }))
  const [pathname = '', query = ''] = path.split('?')
  const found = find('GET', `/v1/public/${pathname}`)
  if (!found) throw new Error(path)
  exchange.advance(desk.nowMs())
  const call = { params: {}, query: new URLSearchParams(query), body: '', accountId: '' }
  return JSON.parse(JSON.stringify(found.row.answer({ ...call, nowMs: desk.nowMs() })))
}

const through = (desk: Desk, broker: string) => {
  const [row] = read(desk, `futures_market?symbol=${BTC}&broker_id=${broker}`).rows
  return { volume: row['24h_volume'], amount: row['24h_amount'] }
}
const buy = (trader: Trader, fields = {}) =>
  trader.order({ order_type: 'MARKET', order_price: null, ...fields })

test('builders are those that somebody came through, with as many users as came', async () => {
  using desk = openDesk()
  expect(read(desk, 'broker/name').rows).toEqual([{ broker_id: 'demo-x', broker_name: 'Demo X' }])
  const one = await desk.trader('one', { brokerId: 'acme' })
  expect((await one.post('/v1/client/add_sub_account', {})).status).toBe(200)
  expect(read(desk, 'broker/name').rows).toContainEqual({ broker_id: 'acme', broker_name: 'acme' })
  expect(read(desk, 'broker/stats?broker_id=acme').rows).toEqual([{ connected_user: 1 }])
  await desk.trader('two', { brokerId: 'acme' })
  expect(read(desk, 'broker/stats?broker_id=acme').rows).toEqual([{ connected_user: 2 }])
  expect(read(desk, 'broker/stats?broker_id=nobody').rows).toEqual([{ connected_user: 0 }])
  expect(read(desk, 'broker/stats').rows).toHaveLength(2)
})

test('a builder’s volume is what its own accounts traded, and with it every market’s is told', async () => {
  using desk = openDesk()
  const [one, two] = [
    await desk.trader('one', { brokerId: 'acme' }),
    await desk.trader('two', { brokerId: 'other' }),
  ]
  expect(through(desk, 'acme')).toEqual({ volume: 0, amount: 0 })
  await buy(one)
  const own = through(desk, 'acme')
  expect(own).toEqual({ volume: 0.1, amount: 6000.1 })
  expect(through(desk, 'acme')).toEqual(own)
  await buy(two, { order_quantity: 0.2 })
  expect(through(desk, 'acme')).toEqual(own)
  expect(through(desk, 'other').volume).toBe(0.2)
  // The house sold to both.
  expect(through(desk, 'demo-x').volume).toBeCloseTo(0.3, 8)
  expect(read(desk, `futures_market?symbol=${BTC}`).rows[0]).toHaveProperty('symbol', BTC)
  desk.restart()
  expect(through(desk, 'acme')).toEqual(own)
  desk.warp(24 * HOUR_MS)
  for (const broker of ['acme', 'other', 'demo-x'])
    expect(through(desk, broker)).toEqual({ volume: 0, amount: 0 })
})

test('orders with a builder’s tag count for it too, once, whoever sends them', async () => {
  using desk = openDesk()
  const [own, other] = [
    await desk.trader('own', { brokerId: 'acme' }),
    await desk.trader('other', { brokerId: 'other' }),
  ]
  await buy(other, { order_tag: 'enum:acme:GRID_PRO' })
  expect(through(desk, 'acme').volume).toBe(0.1)
  expect(through(desk, 'other').volume).toBe(0.1)
  await buy(own, { order_tag: 'enum:acme:GRID_PRO' })
  expect(through(desk, 'acme').volume).toBe(0.2)
  await buy(other, { order_tag: 'a code of my own' })
  expect(through(desk, 'acme').volume).toBe(0.2)
  expect(through(desk, 'other').volume).toBe(0.2)
})

test('order tags are told with their rates, of one market with its own alone', async () => {
  using desk = openDesk()
  const tags = read(desk, 'broker/order_enums?broker_id=acme')
  expect(tags.length).toBeGreaterThan(1)
  for (const tag of tags) {
    expect(tag.default_fee_rate).toBeWithin(0.00001, 0.01)
    expect(read(desk, `broker/order_enum?broker_id=acme&enum_id=${tag.enum_id}`)).toEqual(tag)
  }
  const [tag] = read(desk, `broker/order_enums?broker_id=acme&symbol=${BTC}`)
  expect(Object.keys(tag.pair_overrides)).toEqual([BTC])
  expect(read(desk, 'broker/order_enums?broker_id=acme&enum_id=NONE')).toEqual([])
})

test.each([
  ['futures_market?symbol=PERP_NO_USDC', -1005],
  ['broker/order_enums', -1005],
  ['broker/order_enums?broker_id=acme&symbol=PERP_NO_USDC', -1005],
  ['broker/order_enum?broker_id=acme', -1005],
  ['broker/order_enum?enum_id=GRID_PRO', -1005],
  ['broker/order_enum?broker_id=acme&enum_id=NONE', -1006],
])('%s is refused with %p', (path, code) => {
  using desk = openDesk()
  expect(refusalOf(() => read(desk, path)).code).toBe(code)
})
