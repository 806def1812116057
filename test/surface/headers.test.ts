import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { jsonPost } from '../caller.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { startRecordedVenue } from './recorded-venue.ts'

const READS = [
  '/api/prep/markets',
  '/api/prep/catalogue',
  '/api/prep/op/markets.leverage',
  '/api/prep/op/vault.strategyNonce',
  '/api/prep/orderbook?symbol=PERP_BTC_USDC',
  '/api/prep/orderbook?symbol=x',
  '/nope',
  '/swagger',
] as const

/** Every way a request can end. */
const ENDINGS: readonly { what: string; path: string; init?: RequestInit; status: number }[] = [
  { what: 'an answer', path: '/api/prep/markets', status: 200 },
  { what: 'the same answer out of memory', path: '/api/prep/markets', status: 200 },
  { what: 'an answer not kept', path: '/api/prep/op/vault.strategyNonce', status: 200 },
  { what: 'a page', path: '/swagger', status: 200 },
  { what: 'a script', path: '/swagger/bundle.js', status: 200 },
  { what: 'a document', path: '/swagger/json', status: 200 },
  { what: 'an unknown path', path: '/nope', status: 404 },
  { what: 'a wrong method', path: '/api/prep/relay', status: 405 },
  { what: 'a bad body', path: '/api/prep/relay', init: jsonPost('{'), status: 400 },
  {
    what: 'an asset that is there already',
    path: '/api/prep/markets',
    init: { headers: { 'if-none-match': '*' } },
    status: 304,
  },
  {
    what: 'a preflight',
    path: '/api/prep/relay',
    init: { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } },
    status: 204,
  },
  { what: 'a bare OPTIONS', path: '/api/prep/relay', init: { method: 'OPTIONS' }, status: 405 },
  { what: 'HEAD', path: '/api/prep/markets', init: { method: 'HEAD' }, status: 200 },
]

const ORIGIN = { origin: 'https://app.example' } as const
const PREFLIGHT: RequestInit = {
  method: 'OPTIONS',
  headers: {
    ...ORIGIN,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  },
}

describe.each([...TARGET_KINDS])('headers, %s', (kind) => {
  let venue: Awaited<ReturnType<typeof startRecordedVenue>>
  let live: Target
  let embedded: Target
  let listing: Target
  let direct: Target

  beforeAll(async () => {
    venue = await startRecordedVenue()
    live = await openTarget(kind, { VENUE: venue.url })
    embedded = await openTarget(kind, { VENUE: 'embedded' })
    listing = await openTarget(kind, {
      VENUE: venue.url,
      ALLOWED_ORIGINS: 'https://app.example,https://b.example',
    })
    direct = await openTarget(kind, { VENUE: venue.url, TRUSTED_PROXIES: 'none' })
  })
  afterAll(async () => {
    await Promise.all([live, embedded, listing, direct].map((target) => target.stop()))
    await venue.stop()
  })

  test.each([...READS])('HEAD %s is GET without its body', async (path) => {
    await live.fetch(path)
    const get = await live.fetch(path)
    const head = await live.fetch(path, { method: 'HEAD' })
    expect(head.status).toBe(get.status)
    expect(await head.text()).toBe('')
    for (const name of ['content-type', 'cache-control', 'etag', 'x-content-type-options']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
    }
  })

  test('HEAD of what is only posted is refused', async () => {
    const response = await live.fetch('/api/prep/relay', { method: 'HEAD' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  test.each([...ENDINGS])(
    '$what has an id of its own and is never sniffed',
    async ({ path, init, status }) => {
      const response = await live.fetch(path, init)
      expect(response.status).toBe(status)
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('x-prepd-venue')).toBeNull()
      expect(response.headers.get('server')).toBeNull()
      expect(response.headers.get('x-powered-by')).toBeNull()
      expect(response.headers.get('set-cookie')).toBeNull()
    },
  )

  test.each([...ENDINGS])(
    '$what of the embedded venue is marked as such',
    async ({ path, init }) => {
      expect((await embedded.fetch(path, init)).headers.get('x-prepd-venue')).toBe('embedded')
    },
  )

  test('no two requests have the same id, in one process or in two', async () => {
    const paths = Array.from({ length: 300 }, (_, at) => (at % 2 ? '/api/prep/markets' : '/nope'))
    const ids = await Promise.all(
      paths.flatMap((path) =>
        [live, embedded].map(async (target) =>
          (await target.fetch(path)).headers.get('x-request-id'),
        ),
      ),
    )
    expect(new Set(ids).size).toBe(600)
  })

  test.each(['/api/prep/relay', '/api/swap/quote', '/api/relayer/voucher'])(
    'a preflight of %s is granted to everyone, without credentials',
    async (path) => {
      const { status, headers } = await live.fetch(path, PREFLIGHT)
      expect(status).toBe(204)
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-methods')).toContain('POST')
      expect(headers.get('access-control-allow-headers')).toContain('content-type')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    },
  )

  test.each(['/mcp', '/api/admin/anything', '/swagger/json', '/', '/api/prepare', '/api/prep'])(
    'a preflight of %s is granted to nobody',
    async (path) => {
      const { headers } = await live.fetch(path, PREFLIGHT)
      for (const name of ['methods', 'headers', 'credentials']) {
        expect(headers.get(`access-control-allow-${name}`)).toBeNull()
      }
    },
  )

  test.each(['/mcp', '/api/admin/anything'])('no page may read an answer of %s', async (path) => {
    for (const init of [{}, { headers: ORIGIN }, PREFLIGHT, jsonPost('{}')]) {
      const { headers } = await live.fetch(path, init)
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test.each([...ENDINGS])('everyone may read $what, whoever asked for it first', async (row) => {
    for (const target of [live, listing]) {
      const { headers } = await target.fetch(row.path, row.init)
      const everyone = target === live
      expect(headers.get('access-control-allow-origin')).toBe(everyone ? '*' : null)
      expect(headers.get('vary')?.includes('origin') ?? false).toBe(!everyone)
    }
  })

  test('a page elsewhere may read an answer, a failure and what they tell of limits and age', async () => {
    for (const path of ['/api/prep/markets', '/api/prep/markets', '/api/prep/orderbook']) {
      const { headers } = await live.fetch(path, { headers: ORIGIN })
      expect(headers.get('access-control-allow-origin')).toBe('*')
      for (const name of [
        'etag',
        'age',
        'retry-after',
        'ratelimit',
        'x-request-id',
        'x-prepd-replay',
      ]) {
        expect(headers.get('access-control-expose-headers')).toContain(name)
      }
    }
    const { headers } = await live.fetch('/swagger/json', { headers: ORIGIN })
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  test('where origins are listed, those may read, told apart by Vary, and no others', async () => {
    for (const path of ['/api/prep/markets', '/api/prep/markets', '/api/prep/orderbook']) {
      const allowed = await listing.fetch(path, { headers: ORIGIN })
      expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN.origin)
      expect(allowed.headers.get('vary')).toContain('origin')
      for (const origin of [
        'https://evil.example',
        'https://app.example.evil.example',
        'http://app.example',
        'null',
      ]) {
        const refused = await listing.fetch(path, { headers: { origin } })
        expect(refused.headers.get('access-control-allow-origin')).toBeNull()
      }
    }
    expect(
      (await listing.fetch('/api/prep/relay', PREFLIGHT)).headers.get(
        'access-control-allow-origin',
      ),
    ).toBe(ORIGIN.origin)
  })

  test('where origins are listed, what nobody may read varies all the same', async () => {
    const evil = { origin: 'https://evil.example' }
    for (const { path, headers } of [
      { path: '/api/prep/op/markets.leverage', headers: {} },
      { path: '/api/prep/op/markets.leverage', headers: evil },
      { path: '/api/prep/markets', headers: evil },
      { path: '/api/prep/markets', headers: {} },
    ]) {
      const answer = await listing.fetch(path, { headers })
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      expect(answer.headers.get('vary')).toContain('origin')
    }
  })

  test('a listed page may call the agent endpoint with its credentials, and no other page may', async () => {
    const { headers } = await listing.fetch('/mcp', PREFLIGHT)
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN.origin)
    expect(headers.get('access-control-allow-headers')).toContain('x-trading-key')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    const evil = { ...PREFLIGHT, headers: { ...PREFLIGHT.headers, origin: 'https://evil.example' } }
    const refused = await listing.fetch('/mcp', evil)
    expect(refused.headers.get('access-control-allow-origin')).toBeNull()
    expect(refused.headers.get('access-control-allow-headers')).toBeNull()
  })

  const addressOf = async (target: Target, forwarded: string) => {
    const headers = { 'x-forwarded-for': forwarded }
    return Object(await (await target.fetch('/api/prep/op/platform.ipInfo', { headers })).json()).ip
  }

  test.each([
    { forwarded: '203.0.113.9', address: '203.0.113.9' },
    { forwarded: '198.51.100.1, 203.0.113.9', address: '203.0.113.9' },
    { forwarded: '203.0.113.9, 127.0.0.1', address: '203.0.113.9' },
    { forwarded: '1.1.1.1,203.0.113.9 , 127.0.0.2', address: '203.0.113.9' },
    { forwarded: '2001:db8::7', address: '2001:db8::7' },
  ])('a trusted proxy is believed as far as it saw: $forwarded', async ({ forwarded, address }) => {
    expect(await addressOf(live, forwarded)).toBe(address)
  })

  test('nobody else is believed', async () => {
    expect(await addressOf(direct, '203.0.113.9')).toBe('127.0.0.1')
    expect(await addressOf(direct, '203.0.113.9, 127.0.0.1')).toBe('127.0.0.1')
  })
})
