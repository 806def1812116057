import { expect, test } from 'bun:test'
import { createLiveFeed } from '../../../../src/simulator/feed/live-feed.ts'
import { createFeed } from '../../../../src/simulator/past/seeded-feed.ts'
import { builderRows } from '../../../../src/simulator/rest/public/builders.ts'
import { createRouter } from '../../../../src/simulator/server/router.ts'
import { refusalOf } from '../../feed/calls.ts'
import { openVenueFixture, type Trader, type VenueFixture } from '../../fixture.ts'
import { WORLD_START_MS } from '../../past/small-feed.ts'

const BTC = 'PERP_BTC_USDC'
const HOUR_MS = 3_600_000

/** A row's answer as a client of the venue reads it. */
function read(fixture: VenueFixture, path: string) {
  const exchange = fixture.exchange()
  const feed = createLiveFeed(
    createFeed({ seed: 1, beginsAtMs: WORLD_START_MS }),
    exchange.simulation,
  )
  const find = createRouter(builderRows({ feed, exchange, beginsAtMs: WORLD_START_MS }))
  const [pathname = '', query = ''] = path.split('?')
  const found = find('GET', `/v1/public/${pathname}`)
  if (!found) throw new Error(path)
  exchange.advance(fixture.nowMs())
  const call = { params: {}, query: new URLSearchParams(query), body: '', accountId: '' }
  return JSON.parse(JSON.stringify(found.row.answer({ ...call, nowMs: fixture.nowMs() })))
}

const through = (fixture: VenueFixture, broker: string) => {
  const [row] = read(fixture, `futures_market?symbol=${BTC}&broker_id=${broker}`).rows
  return { volume: row['24h_volume'], amount: row['24h_amount'] }
}
const buy = (trader: Trader, fields = {}) =>
  trader.order({ order_type: 'MARKET', order_price: null, ...fields })

test('builders are those that somebody came through, with as many users as came', async () => {
  using fixture = openVenueFixture()
  expect(read(fixture, 'broker/name').rows).toEqual([
    { broker_id: 'demo-x', broker_name: 'Demo X' },
  ])
  const one = await fixture.trader('one', { brokerId: 'acme' })
  expect((await one.post('/v1/client/add_sub_account', {})).status).toBe(200)
  expect(read(fixture, 'broker/name').rows).toContainEqual({
    broker_id: 'acme',
    broker_name: 'acme',
  })
  expect(read(fixture, 'broker/stats?broker_id=acme').rows).toEqual([{ connected_user: 1 }])
  await fixture.trader('two', { brokerId: 'acme' })
  expect(read(fixture, 'broker/stats?broker_id=acme').rows).toEqual([{ connected_user: 2 }])
  expect(read(fixture, 'broker/stats?broker_id=nobody').rows).toEqual([{ connected_user: 0 }])
  expect(read(fixture, 'broker/stats').rows).toHaveLength(2)
})

test('a builder’s volume is what its own accounts traded, and with it every market’s is told', async () => {
  using fixture = openVenueFixture()
  const [one, two] = [
    await fixture.trader('one', { brokerId: 'acme' }),
    await fixture.trader('two', { brokerId: 'other' }),
  ]
  expect(through(fixture, 'acme')).toEqual({ volume: 0, amount: 0 })
  await buy(one)
  const own = through(fixture, 'acme')
  expect(own).toEqual({ volume: 0.1, amount: 6000.1 })
  expect(through(fixture, 'acme')).toEqual(own)
  await buy(two, { order_quantity: 0.2 })
  expect(through(fixture, 'acme')).toEqual(own)
  expect(through(fixture, 'other').volume).toBe(0.2)
  // The market maker sold to both.
  expect(through(fixture, 'demo-x').volume).toBeCloseTo(0.3, 8)
  expect(read(fixture, `futures_market?symbol=${BTC}`).rows[0]).toHaveProperty('symbol', BTC)
  fixture.restart()
  expect(through(fixture, 'acme')).toEqual(own)
  fixture.warp(24 * HOUR_MS)
  for (const broker of ['acme', 'other', 'demo-x'])
    expect(through(fixture, broker)).toEqual({ volume: 0, amount: 0 })
})

test('orders with a builder’s tag count for it too, once, whoever sends them', async () => {
  using fixture = openVenueFixture()
  const [own, other] = [
    await fixture.trader('own', { brokerId: 'acme' }),
    await fixture.trader('other', { brokerId: 'other' }),
  ]
  await buy(other, { order_tag: 'enum:acme:GRID_PRO' })
  expect(through(fixture, 'acme').volume).toBe(0.1)
  expect(through(fixture, 'other').volume).toBe(0.1)
  await buy(own, { order_tag: 'enum:acme:GRID_PRO' })
  expect(through(fixture, 'acme').volume).toBe(0.2)
  await buy(other, { order_tag: 'a code of my own' })
  expect(through(fixture, 'acme').volume).toBe(0.2)
  expect(through(fixture, 'other').volume).toBe(0.2)
})

test('order tags are told with their rates, of one market with its own alone', async () => {
  using fixture = openVenueFixture()
  const tags = read(fixture, 'broker/order_enums?broker_id=acme')
  expect(tags.length).toBeGreaterThan(1)
  for (const tag of tags) {
    expect(tag.default_fee_rate).toBeWithin(0.00001, 0.01)
    expect(read(fixture, `broker/order_enum?broker_id=acme&enum_id=${tag.enum_id}`)).toEqual(tag)
  }
  const [tag] = read(fixture, `broker/order_enums?broker_id=acme&symbol=${BTC}`)
  expect(Object.keys(tag.pair_overrides)).toEqual([BTC])
  expect(read(fixture, 'broker/order_enums?broker_id=acme&enum_id=NONE')).toEqual([])
})

test.each([
  ['futures_market?symbol=PERP_NO_USDC', -1005],
  ['broker/order_enums', -1005],
  ['broker/order_enums?broker_id=acme&symbol=PERP_NO_USDC', -1005],
  ['broker/order_enum?broker_id=acme', -1005],
  ['broker/order_enum?enum_id=GRID_PRO', -1005],
  ['broker/order_enum?broker_id=acme&enum_id=NONE', -1006],
])('%s is refused with %p', (path, code) => {
  using fixture = openVenueFixture()
  expect(refusalOf(() => read(fixture, path)).code).toBe(code)
})
