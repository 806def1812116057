import { describe, expect, test } from 'bun:test'
import { openVenueFixture, type Trader } from './fixture.ts'
import { BTC } from './past/small-feed.ts'
import { publicGet, publicPost, signed } from './trading-wallet.ts'

const BODY = JSON.stringify({
  symbol: BTC,
  side: 'BUY',
  order_type: 'LIMIT',
  order_price: 59_000,
  order_quantity: 0.1,
})

type Forgery = {
  readonly name: string
  readonly code: number
  readonly status: number
  /** What an attacker or a broken client changes in a good order. */
  readonly change: (
    request: ReturnType<typeof signed>,
    trader: Trader,
    other: Trader,
  ) => ReturnType<typeof signed>
}

const withHeader = (name: string, value: string): Forgery['change'] => {
  return (request) => ({ ...request, headers: { ...request.headers, [name]: value } })
}

const FORGERIES: readonly Forgery[] = [
  {
    name: 'a body changed after signing',
    status: 401,
    code: -1001,
    change: (request) => ({ ...request, body: `${BODY} ` }),
  },
  {
    name: 'a path changed after signing',
    status: 401,
    code: -1001,
    change: (request) => ({ ...request, path: '/v1/batch-order' }),
  },
  {
    name: 'a signature of another key',
    status: 401,
    code: -1001,
    change: (request, _, other) =>
      withHeader(
        'orderly-signature',
        signed(other, { method: 'POST', path: '/v1/order', timestampMs: 0, body: BODY }).headers[
          'orderly-signature'
        ] ?? '',
      )(request, other, other),
  },
  {
    name: 'a key that belongs to another account',
    status: 401,
    code: -1002,
    change: (request, trader, other) =>
      withHeader('orderly-account-id', other.accountId)(request, trader, other),
  },
  {
    name: 'a missing header',
    status: 401,
    code: -1002,
    change: withHeader('orderly-signature', ''),
  },
  {
    name: 'a timestamp that is no number',
    status: 401,
    code: -1001,
    change: withHeader('orderly-timestamp', 'yesterday'),
  },
  {
    name: 'a wrong content type',
    status: 400,
    code: -1005,
    change: withHeader('content-type', 'text/plain'),
  },
]

describe('private calls', () => {
  test.each([...FORGERIES])(
    '$name is refused and nothing is placed',
    async ({ change, code, status }) => {
      using fixture = openVenueFixture()
      const trader = await fixture.trader('victim')
      const other = await fixture.trader('other')
      const good = signed(trader, {
        method: 'POST',
        path: '/v1/order',
        timestampMs: fixture.nowMs(),
        body: BODY,
      })
      const answer = await fixture.send(change(good, trader, other))
      expect(answer).toMatchObject({ status, code, body: { success: false } })
      expect((await trader.get('/v1/orders')).data.rows).toEqual([])
      expect((await other.get('/v1/orders')).data.rows).toEqual([])
    },
  )

  test.each([
    { ageMs: 300_000, status: 200 },
    { ageMs: -300_000, status: 200 },
    { ageMs: 300_001, status: 401 },
    { ageMs: -300_001, status: 401 },
  ])('a timestamp $ageMs ms old answers $status', async ({ ageMs, status }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const request = { method: 'GET', path: '/v1/positions', timestampMs: fixture.nowMs() - ageMs }
    expect((await fixture.send(signed(trader, request))).status).toBe(status)
  })

  test('freshness is real time while the venue clock runs ahead', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    fixture.warp(86_400_000)
    expect((await trader.get('/v1/positions')).status).toBe(200)
  })

  test('a signature in the other base64 alphabet, with padding, is the same signature', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a')
    const good = signed(trader, {
      method: 'GET',
      path: '/v1/positions',
      timestampMs: fixture.nowMs(),
    })
    const text = good.headers['orderly-signature'] ?? ''
    const padded = `${text.replaceAll('-', '+').replaceAll('_', '/')}==`
    const request = { ...good, headers: { ...good.headers, 'orderly-signature': padded } }
    expect((await fixture.send(request)).status).toBe(200)
  })

  test('a key works until its expiration and not a millisecond longer', async () => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a', { keyLifeMs: 86_400_000 })
    fixture.sleep(86_399_999)
    expect((await trader.get('/v1/positions')).status).toBe(200)
    fixture.sleep(1)
    expect(await trader.get('/v1/positions')).toMatchObject({ status: 401, code: -1002 })
  })

  test.each([
    { scope: 'read', reads: 200, places: 401 },
    { scope: 'trading', reads: 401, places: 200 },
    { scope: 'asset', reads: 401, places: 401 },
    { scope: 'read,trading', reads: 200, places: 200 },
  ])('a key of scope $scope reads $reads and places $places', async ({ scope, reads, places }) => {
    using fixture = openVenueFixture()
    const trader = await fixture.trader('a', { scope })
    const all = await fixture.trader('a', { scope: 'read,trading,asset' })
    expect((await trader.get('/v1/orders')).status).toBe(reads)
    expect((await trader.order()).status).toBe(places)
    expect((await all.get('/v1/orders')).data.meta.total).toBe(places === 200 ? 1 : 0)
  })
})

describe('the wire', () => {
  test.each([
    { method: 'GET', path: '/v1/nothing' },
    { method: 'POST', path: '/v1/positions' },
    { method: 'GET', path: '/v1/order/1/fills' },
    { method: 'GET', path: '/v1/position/' },
  ])('$method $path is not found', async ({ method, path }) => {
    using fixture = openVenueFixture()
    const answer = await fixture.send({ method, path, headers: {} })
    expect(answer).toMatchObject({ status: 400, code: -1000, body: { success: false } })
  })

  test('a success has the envelope and the time of the venue; a bare row has neither', async () => {
    using fixture = openVenueFixture()
    fixture.warp(5000)
    const { body } = await fixture.send(publicGet('/v1/registration_nonce'))
    expect(body).toMatchObject({ success: true, timestamp: fixture.nowMs() })
    const bare = await fixture.send(publicGet('/v1/tv/bare?symbol=x'))
    expect(bare.body).toEqual({ s: 'ok' })
  })

  test('a fault of ours tells the operator and not the caller', async () => {
    using fixture = openVenueFixture()
    const answer = await fixture.send(publicGet('/v1/public/fault'))
    expect(answer).toMatchObject({ status: 500, code: -1000 })
    expect(JSON.stringify(answer.body)).not.toContain('secret detail')
    expect(fixture.faults).toEqual([{ event: 'venue_fault', message: 'secret detail' }])
  })

  test.each(['', 'not json', '[]', 'null', '"text"'])('the body %p is refused', async (body) => {
    using fixture = openVenueFixture()
    const request = { ...publicPost('/v1/orderly_key', {}), body }
    expect(await fixture.send(request)).toMatchObject({ status: 400, code: -1005 })
    expect(fixture.faults).toEqual([])
  })
})
