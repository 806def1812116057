import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { type RecordingUpstream, startRecordingUpstream } from '../recording-upstream.ts'
import { settingsFolder } from '../settings-folder.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { eventually, linesOf } from './lines.ts'

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const caller = newCaller()
const CALL = { method: 'GET', path: '/v1/positions' } as const

describe.each(USUAL_KINDS)('log lines of the %s', (kind) => {
  let venue: RecordingUpstream
  let target: Target
  beforeAll(async () => {
    venue = await startRecordingUpstream(({ target: path }) =>
      path.startsWith('/v1/public/token')
        ? 'close'
        : { json: { success: true, data: { rows: [], available_futures_leverage: '1,10' } } },
    )
    target = await openTarget(kind, { VENUE: venue.url })
  })
  afterAll(async () => {
    await target.stop()
    await venue.stop()
  })

  const ask = async (path: string, id: string, init: RequestInit = {}) => {
    const headers = {
      'x-request-id': id,
      'x-forwarded-for': '203.0.113.77',
      traceparent: TRACE,
      ...Object(init.headers),
    }
    const response = await target.fetch(path, { ...init, headers })
    await response.text()
    return response
  }
  const linesFor = async (id: string) => {
    const mine = () => linesOf(target.log()).filter(({ request }) => request === id)
    await eventually(() => mine().find(({ event }) => event === 'request'))
    return mine()
  }

  test('a request leaves one access line that sums it up, under the id its proxy gave it', async () => {
    const response = await ask('/api/prep/markets', 'proxy-1')
    expect(response.headers.get('x-request-id')).toBe('proxy-1')
    const [access, ...others] = (await linesFor('proxy-1')).filter(
      ({ event }) => event === 'request',
    )
    expect(others).toEqual([])
    expect(access).toMatchObject({
      level: 'info',
      traceparent: TRACE,
      route: 'markets',
      code: 'ok',
      status: 200,
      cache: 'miss',
      caller: '203.0.113.*',
      ms: expect.any(Number),
      venueMs: expect.any(Number),
    })
  })

  test('an answer out of memory has its line as well', async () => {
    await ask('/api/prep/config', 'proxy-2')
    await ask('/api/prep/config', 'proxy-3')
    const [line] = await linesFor('proxy-3')
    expect(line).toMatchObject({ route: 'config', cache: 'hit', traceparent: TRACE })
    expect(line).not.toHaveProperty('venueMs')
  })

  test('the id is in every line of the request, down to the call to the venue', async () => {
    await ask('/api/prep/relay', 'proxy-4', jsonPost(envelope(caller, CALL)))
    const lines = await linesFor('proxy-4')
    expect(lines.map(({ event }) => event)).toEqual(['upstream_call', 'request'])
    expect(lines[0]).toMatchObject({ path: '/v1/positions', lane: 'read', status: 200 })
  })

  test('a relayed call is named by method, pattern and a hash of its account, and a refusal by its bound', async () => {
    const order = { method: 'GET', path: '/v1/order/77' } as const
    await ask('/api/prep/relay', 'relayed-1', jsonPost(envelope(caller, order)))
    await ask(
      '/api/prep/relay',
      'relayed-2',
      jsonPost(envelope(caller, { ...CALL, method: 'PUT' })),
    )
    const accessOf = async (id: string) => (await linesFor(id)).at(-1)
    const named = { account: expect.stringMatching(/^[0-9a-f]{16}$/), caller: '203.0.113.*' }
    const [first, second] = [await accessOf('relayed-1'), await accessOf('relayed-2')]
    expect(first).toMatchObject({ ...named, method: 'GET', path: '/v1/order/{id}' })
    expect(first).not.toHaveProperty('parameter')
    expect(second).toMatchObject({
      ...named,
      account: first?.['account'],
      ...{ method: 'PUT', path: 'unlisted', code: 'forbidden' },
      ...{ parameter: 'method', reason: 'not_relayed', bound: 'GET' },
    })
    await ask('/api/prep/markets', 'plain')
    expect(await accessOf('plain')).not.toHaveProperty('account')
  })

  test('a write that is answered from its first outcome is marked as a replay, the first one is not', async () => {
    const order = { method: 'POST', path: '/v1/order', body: '{"symbol":"PERP_ETH_USDC"}' } as const
    const signed = jsonPost(envelope(caller, order))
    await ask('/api/prep/relay', 'first-1', signed)
    await ask('/api/prep/relay', 'again-1', signed)
    expect((await linesFor('first-1')).at(-1)).not.toHaveProperty('replayed')
    expect((await linesFor('again-1')).at(-1)).toMatchObject({ replayed: true })
  })

  test('a failure of the venue is told with its reason, and the request with its code', async () => {
    await ask('/api/prep/tokens', 'proxy-5')
    const lines = await linesFor('proxy-5')
    expect(lines.map(({ event }) => event)).toEqual(['upstream_failed', 'request'])
    expect(lines[0]).toMatchObject({ level: 'warn', fault: 'reset', host: 'main' })
    expect(lines[1]).toMatchObject({
      level: 'warn',
      code: 'upstream_unavailable',
      status: 502,
      venueFault: 'reset',
    })
  })

  test.each(['two words', '"quoted"', 'x'.repeat(129), ''])(
    'an id like %p is not taken over',
    async (id) => {
      const given = (await ask('/api/prep/config', id)).headers.get('x-request-id')
      expect(given).not.toBe(id)
      expect(given).toMatch(/^[\w-]+$/)
    },
  )

  test('no line holds a key, a signature, an account, a body or a whole address', async () => {
    const signed = envelope(caller, { ...CALL, path: '/v1/orders?canary=1' })
    await ask('/api/prep/relay', 'proxy-6', jsonPost(signed))
    await linesFor('proxy-6')
    const { auth } = signed
    for (const secret of [auth.signature, auth.key, auth.accountId, '203.0.113.77', 'canary']) {
      expect(target.log()).not.toContain(secret)
    }
  })

  test('the venue hears nothing of ids and traces', () => {
    const names = venue.requests.flatMap(({ headers }) =>
      headers.map(([name]) => name.toLowerCase()),
    )
    expect(names).not.toContain('x-request-id')
    expect(names).not.toContain('traceparent')
  })
})

describe('an id from whoever is no trusted proxy', () => {
  test('is not taken over', async () => {
    const target = await openTarget('in process', { TRUSTED_PROXIES: 'none' })
    const headers = { 'x-request-id': 'mine' }
    const { headers: answered } = await target.fetch('/api/prep/config', { headers })
    expect(answered.get('x-request-id')).not.toBe('mine')
    await target.stop()
    expect(target.log()).not.toContain('mine')
  })
})

test('callers are whole where the setting says so, and the hash of an account is the same after a restart', async () => {
  using folder = settingsFolder()
  const settings = { LOG_CALLERS: 'on', DATA_DIR: folder.path('data') }
  const accounts: unknown[] = []
  for (const _ of ['first', 'second']) {
    const target = await openTarget('in process', settings)
    const headers = { 'x-forwarded-for': '203.0.113.77' }
    const init = jsonPost(envelope(caller, CALL))
    await target.fetch('/api/prep/relay', {
      ...init,
      headers: { ...Object(init.headers), ...headers },
    })
    await target.stop()
    const [line] = linesOf(target.log()).filter(({ event }) => event === 'request')
    expect(line).toMatchObject({ caller: '203.0.113.77', path: '/v1/positions' })
    accounts.push(line?.['account'])
  }
  expect(accounts[0]).toBe(accounts[1])
  expect(statSync(folder.path('data/prepd.logkey')).mode & 0o777).toBe(0o600)
})

test('0 requests a second leave no access line', async () => {
  const target = await openTarget('in process', { LOG_REQUESTS: '0' })
  await (await target.fetch('/api/prep/config')).text()
  await target.stop()
  expect(linesOf(target.log()).filter(({ event }) => event === 'request')).toEqual([])
})
