import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '../../src/contract/durations.ts'
import { type Deployment, openDeployment } from '../../src/main/deployment.ts'
import { processInputs, readInvocation } from '../../src/settings.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { CHEAP_WORLD_VARIABLES } from '../target.ts'

const folder = mkdtempSync(join(tmpdir(), 'prepd-ops-'))
const OPERATOR_KEY = 'operator-key-of-the-operators-listener'
const QUIET = () => undefined

function open(name: string, settings: Readonly<Record<string, string>>): Promise<Deployment> {
  const env = { PREPD_DATA_DIR: join(folder, name), ...CHEAP_WORLD_VARIABLES, ...settings }
  const invocation = readInvocation([], env, processInputs().files)
  if (invocation.kind !== 'run') throw new Error(JSON.stringify(invocation))
  return openDeployment(invocation.settings, {
    clock: { nowMs: Date.now },
    monotonicMs: () => performance.now(),
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    log: { error: QUIET, warn: QUIET, info: QUIET, debug: QUIET },
  })
}

const ask = async (deployment: Deployment, path: string, init?: RequestInit) =>
  deployment.ops(new Request(`http://localhost${path}`, init), '127.0.0.1')

describe('the operator’s listener', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await open('virtual', {
      PREPD_VENUE_CLOCK: 'virtual',
      PREPD_OPERATOR_KEY: OPERATOR_KEY,
      PREPD_ALLOWED_HOSTS: 'ops.example',
      PREPD_OPS_LISTEN: 'localhost:0',
    })
  })
  afterAll(async () => {
    await deployment.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('is alive, and ready on the embedded venue', async () => {
    expect(await (await ask(deployment, '/healthz')).json()).toEqual({ ok: true })
    expect(await (await ask(deployment, '/readyz')).json()).toMatchObject({
      ready: true,
      venue: 'embedded',
    })
  })

  test('counts what the public listener answered', async () => {
    await deployment.front(new Request('http://localhost/api/prep/config'), '127.0.0.1')
    await deployment.front(new Request('http://localhost/nope'), '127.0.0.1')
    const text = await (await ask(deployment, '/metrics')).text()
    expect(text).toContain('prepd_requests_total{route="config",code="ok",status="200"} 1')
    expect(text).toContain('prepd_requests_total{route="unknown",code="not_found",status="404"} 1')
    expect(text).toContain('venue="embedded"')
  })

  test('shows a page that loads nothing from anywhere', async () => {
    const response = await ask(deployment, '/')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await response.text()).not.toMatch(/https?:|<script/)
  })

  test.each([
    ['/nope', {}, 404, 'not_found'],
    ['/constructor', {}, 404, 'not_found'],
    ['/metrics', { method: 'POST' }, 405, 'method_not_allowed'],
    ['/venue/advance?ms=1', {}, 405, 'method_not_allowed'],
    ['/venue/advance?ms=-1', { method: 'POST' }, 400, 'invalid_request'],
    [
      '/venue/advance?ms=1',
      { method: 'POST', headers: { origin: 'http://a.example' } },
      403,
      'forbidden',
    ],
  ])('%s with %p is %d', async (path, init, status, code) => {
    const response = await ask(deployment, path, init)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code })
  })

  test.each([
    ...['/healthz', '/readyz', '/metrics', '/', '/console/figures', '/favicon.svg', '/nope'],
    ...['/venue/check', '/venue/accounts', '/api/admin/openapi.json', '/api/admin/status'],
  ])('answers %s to addresses and names of its own alone', async (path) => {
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil', 'a b']) {
      const refused = await ask(deployment, path, { headers: { host } })
      expect(refused.status).toBe(403)
      expect(await refused.json()).toMatchObject({
        code: 'forbidden',
        meta: { reason: 'foreign_host', setting: 'PREPD_ALLOWED_HOSTS' },
      })
    }
    const twice = await ask(deployment, path, { headers: { host: '127.0.0.1, evil.example' } })
    expect(await twice.json()).toMatchObject({
      code: 'invalid_request',
      meta: { parameter: 'host', reason: 'repeated' },
    })
    for (const host of ['', '10.1.2.3:9090', '[fd00::1]:9090', 'LOCALHOST:1', 'ops.example:8081']) {
      const { status } = await ask(deployment, path, { headers: host === '' ? {} : { host } })
      expect({ host, isRefused: status === 403 || status === 400 }).toEqual({
        host,
        isRefused: false,
      })
    }
  })

  test.each([
    ...['/venue/advance?ms=1', `/venue/accounts/0x${'1'.repeat(64)}/fund?usdc=1`],
    ...['/console/act/purge-cache', '/api/admin/cache/purge', '/metrics', '/nope'],
  ])('does nothing at %s for a page of another origin', async (path) => {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' }
    const post = (origin: string) =>
      ask(deployment, path, { method: 'POST', body: '{}', headers: { ...headers, origin } })
    for (const origin of ['https://evil.example', 'null', 'http://localhost:1']) {
      const refused = await post(origin)
      expect(await refused.json()).toMatchObject({
        code: 'forbidden',
        meta: { reason: 'foreign_origin' },
      })
    }
    expect((await post('http://localhost')).status).not.toBe(403)
  })

  test('moves a virtual clock, and only by what it was told', async () => {
    const ts = async () => {
      const path = '/api/prep/orderbook?symbol=PERP_ETH_USDC'
      const book = await (
        await deployment.front(new Request(`http://localhost${path}`), '127.0.0.1')
      ).json()
      return Object(book).ts
    }
    const before = await ts()
    expect(await ts()).toBe(before)
    const moved = await ask(deployment, '/venue/advance?ms=60000', { method: 'POST' })
    expect(await moved.json()).toEqual({ advancedMs: 60_000, leftMs: 0 })
    expect(await ts()).toBe(before + 60_000)
  })

  test('moves the clock no further for a caller who gives up, and says how far it came', async () => {
    const nowMs = async () => Object(await (await ask(deployment, '/venue/check')).json()).nowMs
    const before = await nowMs()
    const caller = new AbortController()
    const request = { method: 'POST', signal: caller.signal }
    const moving = ask(deployment, '/venue/advance?ms=604800000', request)
    caller.abort()
    const { advancedMs, leftMs } = Object(await (await moving).json())
    expect(advancedMs).toBeLessThan(DAY_MS)
    expect(advancedMs + leftMs).toBe(7 * DAY_MS)
    expect(await nowMs()).toBe(before + advancedMs)
  })

  test('looks the books of the embedded venue through: the same world has the same hash', async () => {
    const check = async () => (await ask(deployment, '/venue/check')).json()
    const first = Object(await check())
    expect(first).toMatchObject({ broken: [], hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(await check()).toEqual(first)
    await ask(deployment, '/venue/advance?ms=60000', { method: 'POST' })
    const later = Object(await check())
    expect(later.broken).toEqual([])
    expect(later.nowMs).toBe(first.nowMs + 60_000)
    expect(later.hash).not.toBe(first.hash)
  })

  test('follows the candles of a file, and refuses one that holds none', async () => {
    const path = join(folder, 'prices.csv')
    const day = '2026-01-01T00:00:00Z'
    writeFileSync(path, `PERP_BTC_USDC,${day},50000,50000,50000,50000,1`)
    const settings = { PREPD_VENUE_CLOCK: 'virtual', PREPD_VENUE_PRICES: path }
    const replayed = await open('replayed', settings)
    const request = new Request('http://localhost/api/prep/markets')
    const text = await (await replayed.front(request, '127.0.0.1')).text()
    expect(text).toContain('"index_price":50000')
    expect(await (await ask(replayed, '/readyz')).json()).toMatchObject({
      prices: { moving: 1, still: expect.any(Number), stillSince: {} },
    })
    await ask(replayed, '/venue/advance?ms=60000', { method: 'POST' })
    expect(await (await ask(replayed, '/readyz')).json()).toMatchObject({
      prices: { moving: 0, stillSince: { PERP_BTC_USDC: '2026-01-01T00:01:00.000Z' } },
    })
    await replayed.close()
    writeFileSync(path, 'no candle')
    await expect(open('broken', settings)).rejects.toThrow('line 1 is no candle')
  })

  test.each([
    ['an hour behind', 3_600_000, '3600 s behind'],
    ['an hour ahead', -3_600_000, '3600 s ahead of'],
  ])('is ready and degraded while its clock is %s, and says by how much', async (_, ms, offset) => {
    let aheadMs = ms
    const upstream = await startRecordingUpstream(() => ({
      json: { success: true, timestamp: Date.now() + aheadMs, data: {} },
    }))
    const live = await open(`clock ${ms}`, { PREPD_VENUE: upstream.url })
    const readiness = async () => Object(await (await ask(live, '/readyz')).json())
    const off = await readiness()
    expect(off).toMatchObject({ ready: true, degraded: ['clock'] })
    expect(off.reasons.clock).toContain(`The clock of this machine is ${offset} the venue’s.`)
    aheadMs = 29_000
    expect((await readiness()).degraded).toBeUndefined()
    await live.close()
    await upstream.stop()
  })

  test('says that a proxy of a private network is not trusted, and nothing of a public address', async () => {
    const own = await open('proxies', { PREPD_VENUE: 'http://127.0.0.1:9' })
    const headers = { 'x-forwarded-for': '198.51.100.7' }
    const asked = (peer: string) =>
      own.front(new Request('http://localhost/api/prep/catalogue', { headers }), peer)
    const degraded = async () => Object(await (await ask(own, '/readyz')).json()).degraded
    await asked('8.8.8.8')
    expect(await degraded()).toBeUndefined()
    await asked('10.0.0.2')
    expect(await degraded()).toEqual(['proxies'])
    await own.close()
  })

  test('has no clock to move where time is real, and is unready while the venue refuses', async () => {
    const upstream = await startRecordingUpstream(() => ({ status: 500, json: {} }))
    const live = await open('live', { PREPD_VENUE: upstream.url })
    expect((await ask(live, '/venue/advance?ms=1', { method: 'POST' })).status).toBe(404)
    expect((await ask(live, '/venue/check')).status).toBe(404)
    const unready = await ask(live, '/readyz')
    expect(unready.status).toBe(503)
    expect(await unready.json()).toMatchObject({
      ready: false,
      missing: 'venue: upstream_unavailable',
    })
    await live.close()
    await upstream.stop()
  })
})
