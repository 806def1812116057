import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FAILURES } from '../../src/contract/failures.ts'
import { NAMES } from '../../src/contract/scrub-lists.ts'
import { jsonPost } from '../caller.ts'
import { type AnswerSpec, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'

const POST = (headers: Record<string, string>, body = '{}') => ({ method: 'POST', headers, body })

/** Requests that never reach a verb, and the failure each must get. */
const REQUESTS: readonly {
  what: string
  path: string
  init?: RequestInit
  code: keyof typeof FAILURES
}[] = [
  { what: 'an unknown path', path: '/nope', code: 'not_found' },
  { what: 'the root', path: '/', code: 'not_found' },
  { what: 'a trailing slash', path: '/api/prep/markets/', code: 'not_found' },
  { what: 'an upper-case path', path: '/API/prep/markets', code: 'not_found' },
  { what: 'an encoded letter', path: '/api/prep/%6darkets', code: 'not_found' },
  { what: 'an unknown operation', path: '/api/prep/op/markets.nope', code: 'not_found' },
  {
    what: 'an operation named like a member of every object',
    path: '/api/prep/op/constructor',
    code: 'not_found',
  },
  { what: 'an operation with a slash', path: '/api/prep/op/markets.list/', code: 'not_found' },
  { what: 'an operation that climbs', path: '/api/prep/op/..%2f..%2fv1', code: 'not_found' },
  {
    what: 'POST on a read',
    path: '/api/prep/markets',
    init: { method: 'POST' },
    code: 'method_not_allowed',
  },
  {
    what: 'DELETE on an operation',
    path: '/api/prep/op/markets.list',
    init: { method: 'DELETE' },
    code: 'method_not_allowed',
  },
  { what: 'GET on the relay', path: '/api/prep/relay', code: 'method_not_allowed' },
  {
    what: 'PUT on register',
    path: '/api/prep/register',
    init: { method: 'PUT', body: '{}' },
    code: 'method_not_allowed',
  },
  {
    what: 'no content type',
    path: '/api/prep/register',
    init: POST({ 'content-type': '' }),
    code: 'unsupported_media_type',
  },
  {
    what: 'a form',
    path: '/api/prep/register',
    init: POST({ 'content-type': 'application/x-www-form-urlencoded' }),
    code: 'unsupported_media_type',
  },
  {
    what: 'broken JSON',
    path: '/api/prep/register',
    init: jsonPost('{"a":'),
    code: 'invalid_request',
  },
  {
    what: 'a null body',
    path: '/api/prep/register',
    init: jsonPost('null'),
    code: 'invalid_request',
  },
  {
    what: 'an empty body',
    path: '/api/prep/trading-key',
    init: jsonPost(''),
    code: 'invalid_request',
  },
  {
    what: 'bytes that are no UTF-8',
    path: '/api/prep/register',
    init: { ...jsonPost(''), body: new Uint8Array([0x7b, 0xff, 0x7d]) },
    code: 'invalid_request',
  },
  {
    what: 'a deep body',
    path: '/api/prep/register',
    init: jsonPost('['.repeat(100_000)),
    code: 'invalid_request',
  },
  {
    what: 'a body of 300 kB',
    path: '/api/prep/register',
    init: jsonPost(`"${'a'.repeat(300_000)}"`),
    code: 'payload_too_large',
  },
  {
    what: 'a repeated parameter',
    path: '/api/prep/orderbook?symbol=PERP_ETH_USDC&symbol=PERP_BTC_USDC',
    code: 'invalid_request',
  },
  { what: 'no symbol', path: '/api/prep/orderbook', code: 'invalid_request' },
  { what: 'an empty symbol', path: '/api/prep/orderbook?symbol=', code: 'invalid_request' },
  { what: 'a bad symbol', path: '/api/prep/trades?symbol=ETH', code: 'invalid_request' },
  {
    what: 'a bad interval',
    path: '/api/prep/candles?symbol=PERP_ETH_USDC&interval=2h',
    code: 'invalid_request',
  },
  {
    what: 'a missing operation parameter',
    path: '/api/prep/op/markets.get',
    code: 'invalid_request',
  },
  { what: 'a bad address', path: '/api/prep/points?address=0x12', code: 'invalid_address' },
  {
    what: 'an operation that needs an operator key',
    path: '/api/prep/op/builder.dailyRevenue?broker_id=x&start_date=2026-01-01&end_date=2026-01-02',
    code: 'not_configured',
  },
]

/** How a venue fails a read, and the failure the caller gets. */
const OUTAGES: readonly { what: string; answer: AnswerSpec; code: keyof typeof FAILURES }[] = [
  { what: 'a closed connection', answer: 'close', code: 'upstream_unavailable' },
  {
    what: 'a page of HTML',
    answer: { body: '<html>at Orderly.handler (/srv/app.js:1:1)</html>', contentType: 'text/html' },
    code: 'upstream_unavailable',
  },
  {
    what: 'a 500 with prose',
    answer: { status: 500, json: { success: false, code: -1000, message: 'woofi exploded' } },
    code: 'upstream_unavailable',
  },
  {
    what: 'half a body',
    answer: { json: { success: true, data: { rows: [] } }, truncated: 'close' },
    code: 'upstream_unavailable',
  },
  {
    what: 'broken JSON',
    answer: { body: '{"success":true,"data":' },
    code: 'upstream_unavailable',
  },
  {
    what: 'a redirect',
    answer: { status: 302, json: {}, headers: { location: 'http://127.0.0.1:1/' } },
    code: 'upstream_unavailable',
  },
  {
    what: 'nesting without end',
    answer: { body: `{"success":true,"data":${'['.repeat(5000)}${']'.repeat(5000)}}` },
    code: 'upstream_unavailable',
  },
  {
    what: 'a 429',
    answer: { status: 429, json: { success: false, code: -1003, message: 'x' } },
    code: 'upstream_busy',
  },
  {
    what: 'a refusal of its own',
    answer: { status: 400, json: { success: false, code: -9999, message: 'Orderly says' } },
    code: 'venue_rejected',
  },
  {
    what: 'an answer without data',
    answer: { json: { success: true, timestamp: 1 } },
    code: 'not_found',
  },
]

describe.each([...USUAL_KINDS])('failures, %s', (kind) => {
  let answer: AnswerSpec = 'close'
  let upstream: Awaited<ReturnType<typeof startRecordingUpstream>>
  let target: Target

  beforeAll(async () => {
    upstream = await startRecordingUpstream(() => answer)
    target = await openTarget(kind, { VENUE: upstream.url })
  })
  afterAll(async () => {
    await target.stop()
    await upstream.stop()
  })

  async function expectFailure(response: Response, code: keyof typeof FAILURES) {
    const text = await response.text()
    expect({ text, code: JSON.parse(text).code }).toMatchObject({ code })
    const { status, error } = FAILURES[code]
    expect(response.status).toBe(status)
    expect(JSON.parse(text).error).toBe(error)
    expect(
      Object.keys(JSON.parse(text)).filter((key) => !['code', 'error', 'meta'].includes(key)),
    ).toEqual([])
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]+-[0-9a-z]+$/)
    expect(text).not.toMatch(/\/srv|\.ts|\.js|at |Error|exploded|says/)
    for (const name of NAMES.filter((word) => word.length > 5))
      expect(text.toLowerCase()).not.toContain(name)
  }

  test.each([...REQUESTS])('$what is $code, and nothing is sent', async ({ path, init, code }) => {
    const before = upstream.requests.length
    await expectFailure(await target.fetch(path, init), code)
    expect(upstream.requests.length).toBe(before)
  })

  test('a wrong method says which are right', async () => {
    const response = await target.fetch('/api/prep/relay')
    expect(response.headers.get('allow')).toBe('POST')
    expect(
      (await target.fetch('/api/prep/markets', { method: 'PATCH' })).headers.get('allow'),
    ).toBe('GET, HEAD')
  })

  test.each([...OUTAGES])('$what from the venue is $code', async ({ answer: spec, code }) => {
    answer = spec
    await expectFailure(
      await target.fetch(
        `/api/prep/op/funding.get?symbol=PERP_${crypto.randomUUID().slice(0, 8).toUpperCase()}_USDC`,
      ),
      code,
    )
  })

  test('a venue that is not there is unavailable', async () => {
    const other = await openTarget(kind, { VENUE: 'http://127.0.0.1:9' })
    await expectFailure(await other.fetch('/api/prep/op/markets.list'), 'upstream_unavailable')
    await other.stop()
  })
})
