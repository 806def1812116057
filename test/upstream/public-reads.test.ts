import { afterAll, expect, test } from 'bun:test'
import { RELAY_PATHS } from '../../src/contract/allowlist.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { isPaperRead } from '../../src/contract/venue/paper.ts'
import { UpstreamError, type UpstreamRequest } from '../../src/core/ports.ts'
import { type PublicReads, paperUpstream, publicReads } from '../../src/upstream/paper.ts'
import { publicHeaders, signedHeaders } from '../../src/upstream/wire/wire.ts'

/** All that is ever read from a live venue on which one practises, beside the public query. */
const READS = [
  '/v1/public/futures',
  '/v1/public/futures/{symbol}',
  '/v1/public/info',
  '/v1/public/info/{symbol}',
  '/v1/public/market_info/price_changes',
  '/v1/public/market_info/traders_open_interests',
  '/v1/public/market_info/history_charts',
  '/v1/public/market_info/funding_history',
  '/v1/public/market_trades',
  '/v1/public/index_price_source',
  '/v1/public/leverage',
  '/v1/public/funding_rates',
  '/v1/public/funding_rate/{symbol}',
  '/v1/public/funding_rate_history',
  '/v1/public/system_info',
  '/v1/public/config',
  '/v1/public/insurancefund',
  '/v1/public/announcement',
  '/v2/public/announcement',
  '/v1/public/balance/stats',
  '/v1/public/volume/stats',
  '/v1/public/liquidation',
  '/v1/public/liquidated_positions',
  '/v1/tv/config',
  '/v1/tv/symbol_info',
  '/v1/tv/history',
  '/v1/tv/kline_history',
]
const isPaperReadOf = (path: string) => isPaperRead(path.replace('{symbol}', 'PERP_ETH_USDC'))

type Seen = { readonly method: string; readonly path: string; readonly names: readonly string[] }

const seen: Seen[] = []
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ method, url, headers }) => {
    seen.push({ method, path: new URL(url).pathname, names: [...headers.keys()] })
    return Response.json({ success: true, data: { rows: [] } })
  },
})
afterAll(() => server.stop(true))

const BOUNDS = {
  proxied: () => false,
  concurrentMax: 8,
  writeReserved: 2,
  queuedMax: { read: 8, write: 8 },
  elapsedMs: () => performance.now(),
  bodyMaxBytes: LIMITS.upstreamBodyMaxBytes,
  bodyDepthMax: LIMITS.scrubDepthMax,
  bodiesMaxBytes: { read: 1e6, write: 1e6 },
}
const live: PublicReads = publicReads(server.url, BOUNDS)
const asked: UpstreamRequest[] = []
const practice = {
  send: async (request: UpstreamRequest) => {
    asked.push(request)
    return { status: 200, contentType: 'application/json', body: '{}' }
  },
}
const booksOf =
  (known: number, ...unopened: string[]) =>
  async () => ({ known, unopened })
const upstream = paperUpstream({ live, practice, books: booksOf(1) })
const AUTH = { accountId: `0x${'1'.repeat(64)}`, key: 'ed25519:k', signature: 's', timestamp: '1' }
const base = { host: 'main', lane: 'read', deadlineMs: 5000 } as const

test('the port to a live venue that is practised on has two reads and no write', async () => {
  const methods: Readonly<Record<keyof PublicReads, string>> = {
    get: 'GET of a public path',
    query: 'POST of the public query',
    load: 'sends nothing',
  }
  expect(Object.keys(live).toSorted()).toEqual(Object.keys(methods).toSorted())
  const paths = Object.values(OPERATIONS).map(({ path }) => path)
  expect(paths.filter(isPaperReadOf).toSorted()).toEqual(READS.toSorted())
  for (const { path } of RELAY_PATHS) expect(isPaperRead(path)).toBe(false)
  for (const path of ['/v1/order', '/v1/client/info', '/v1/public/token', '/v1/register_account'])
    await expect(live.get(path, 5000)).rejects.toThrow(UpstreamError)
  expect(seen).toEqual([])
})

test('of all that a service sends, a live venue gets public reads of markets alone', async () => {
  const paths = Object.values(OPERATIONS).map(({ path }) =>
    path.replace(/\{\w+\}/, 'PERP_ETH_USDC'),
  )
  for (const path of paths)
    await upstream.send({ ...base, method: 'GET', path, headers: publicHeaders('GET') })
  const { path: queried } = { path: '/v1/public/query' }
  await upstream.send({
    ...base,
    method: 'POST',
    path: queried,
    headers: publicHeaders('POST'),
    body: '{}',
  })
  const onLive = new Set(seen.map(({ method, path }) => `${method} ${path}`))
  const expected = READS.map((path) => `GET ${path.replace('{symbol}', 'PERP_ETH_USDC')}`)
  expect([...onLive].toSorted()).toEqual([...new Set(expected), `POST ${queried}`].toSorted())
  const sent = seen.length
  for (const { path, methods } of RELAY_PATHS)
    for (const method of methods) {
      const lane = method === 'GET' ? 'read' : 'write'
      const headers = signedHeaders(method, AUTH)
      await upstream.send({ ...base, lane, method, path: path.replace(/\{\w+\}/, '1'), headers })
    }
  // Nothing signed reaches it, whatever its path; nor does a write without a signature.
  for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const)
    for (const path of ['/v1/public/futures', queried, '/v1/register_account'])
      for (const lane of ['read', 'write'] as const) {
        await upstream.send({ ...base, lane, method, path, headers: signedHeaders(method, AUTH) })
        const isRead = lane === 'read' && (method === 'GET' || method === 'POST')
        if (!isRead)
          await upstream.send({ ...base, lane, method, path, headers: publicHeaders(method) })
      }
  expect(seen.length).toBe(sent)
  expect(
    seen.flatMap(({ names }) => names.filter((name) => /signature|key|account/.test(name))),
  ).toEqual([])
  expect(asked.length).toBeGreaterThan(100)
})

test('a venue without a known book is away, and an order that it refused was not done', async () => {
  const status = { ...base, method: 'GET', path: '/v1/public/system_info', headers: {} } as const
  const away = paperUpstream({
    live,
    books: booksOf(0),
    practice: {
      send: async () => ({
        status: 503,
        contentType: 'application/json',
        body: '{"success":false,"code":-1000,"message":"The live market is away."}',
      }),
    },
  })
  const order = { ...base, lane: 'write', method: 'POST', path: '/v1/order', headers: {} } as const
  for (const request of [status, order]) {
    const error: unknown = await away.send(request).catch((thrown: unknown) => thrown)
    expect(error instanceof UpstreamError && [error.fault, error.sent]).toEqual([
      'unreachable',
      false,
    ])
  }
  expect((await upstream.send(status)).status).toBe(200)
})

test('positions are not read while no book is known; orders, and all else of an account, are', async () => {
  const away = paperUpstream({ live, practice, books: booksOf(0) })
  const read = (path: string) =>
    ({ ...base, method: 'GET', path, headers: signedHeaders('GET', AUTH) }) as const
  for (const path of ['/v1/positions', '/v1/position/PERP_ETH_USDC']) {
    const error: unknown = await away.send(read(path)).catch((thrown: unknown) => thrown)
    expect(error instanceof UpstreamError && error.fault).toBe('unreachable')
    expect((await upstream.send(read(path))).status).toBe(200)
  }
  for (const path of ['/v1/orders?size=1', '/v1/client/holding', '/v1/position_history'])
    expect((await away.send(read(path))).status).toBe(200)
})

test('a position whose book was not known since the start is not read; others are', async () => {
  const body = '{"data":{"rows":[{"symbol":"PERP_ETH_USDC"}]}}'
  const held = { send: async () => ({ status: 200, contentType: 'application/json', body }) }
  const read = { ...base, method: 'GET', path: '/v1/positions', headers: {} } as const
  const readWith = (unopened: string) =>
    paperUpstream({ live, practice: held, books: booksOf(5, unopened) }).send(read)
  const error: unknown = await readWith('PERP_ETH_USDC').catch((thrown: unknown) => thrown)
  expect(error instanceof UpstreamError && error.fault).toBe('unreachable')
  expect((await readWith('PERP_BTC_USDC')).status).toBe(200)
})
