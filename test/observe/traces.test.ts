import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { type Collector, startCollector } from './collector.ts'
import { linesOf } from './lines.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT_ID = '00f067aa0ba902b7'
const parent = (flags: string) => `00-${TRACE_ID}-${PARENT_ID}-${flags}`

const [SERVER, CLIENT] = [2, 3]
const CANARY = 'canary0123456789'
const caller = newCaller()
const order = (path: string) => jsonPost(envelope(caller, { method: 'GET', path }))

describe.each(TARGET_KINDS)('traces of the %s', (kind) => {
  let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
  let collector: Collector
  let target: Target
  let log = ''

  /** Asks everything once, and stops: what is left goes out with the stop. */
  beforeAll(async () => {
    venue = await startRecordingUpstream(({ target: path }) =>
      path.startsWith('/v1/public/token')
        ? 'close'
        : { json: { success: true, data: { rows: [] } } },
    )
    collector = startCollector()
    target = await openTarget(kind, {
      VENUE: venue.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/tenant/`,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${CANARY}-header`,
      OTEL_SERVICE_NAME: 'prepd.eu-1',
    })
    const traced = (flags: string) => ({ traceparent: parent(flags) })
    const asks: [string, string, RequestInit?][] = [
      ['child', '/api/prep/markets', { headers: traced('01') }],
      ['hot', '/api/prep/markets'],
      ['relay', '/api/prep/relay', order(`/v1/order/471100471100471?${CANARY}=1`)],
      ['failed', '/api/prep/tokens'],
      ['unknown', `/api/prep/${CANARY}?q=${CANARY}`],
      ['unsampled', '/api/prep/op/markets.leverage', { headers: traced('00') }],
      ['garbled', '/api/prep/config', { headers: { traceparent: `00-${'0'.repeat(32)}-1-01` } }],
    ]
    for (const [id, path, init = {}] of asks) {
      const headers = new Headers(init.headers)
      headers.set('x-request-id', id)
      headers.set('x-forwarded-for', '203.0.113.77')
      await (await target.fetch(path, { ...init, headers })).text()
    }
    await target.stop()
    log = target.log()
  })
  afterAll(async () => {
    await collector.stop()
    await venue.stop()
  })

  const spanOf = (id: string) =>
    collector.spans.find(({ fields }) => fields['prepd.request_id'] === id)
  const callsOf = (id: string) =>
    collector.spans.filter(({ parentSpanId }) => parentSpanId === spanOf(id)?.spanId)

  test('have left when it has stopped, with the path of the protocol and the headers and name that were set', () => {
    expect(collector.exports.length).toBeGreaterThan(0)
    for (const { path, service, headers } of collector.exports) {
      expect({ path, service }).toEqual({ path: '/tenant/v1/traces', service: 'prepd.eu-1' })
      expect(headers.get('authorization')).toBe(`Bearer ${CANARY}-header`)
    }
  })

  test('tell method, route, status and request id of each request', () => {
    expect(spanOf('hot')).toMatchObject({
      name: 'GET /api/prep/markets',
      kind: SERVER,
      failed: false,
      parentSpanId: undefined,
      fields: {
        'http.request.method': 'GET',
        'http.route': '/api/prep/markets',
        'http.response.status_code': 200,
        'prepd.code': 'ok',
      },
    })
    expect(spanOf('hot')?.ms).toBeGreaterThan(0)
    expect(spanOf('unknown')).toMatchObject({
      name: 'GET',
      failed: false,
      fields: { 'http.response.status_code': 404, 'prepd.code': 'not_found' },
    })
  })

  test('are those of the proxy that named one, and their own otherwise', () => {
    expect(spanOf('child')).toMatchObject({ traceId: TRACE_ID, parentSpanId: PARENT_ID })
    const own = ['hot', 'relay', 'failed', 'garbled'].map((id) => spanOf(id)?.traceId)
    expect(new Set([...own, TRACE_ID]).size).toBe(5)
  })

  test('hold the call to the venue within the request that made it, and none where memory answered', () => {
    expect(callsOf('relay')).toEqual([
      expect.objectContaining({
        traceId: spanOf('relay')?.traceId,
        name: 'GET /v1/order/{id}',
        kind: CLIENT,
        failed: false,
        fields: {
          'http.request.method': 'GET',
          'url.template': '/v1/order/{id}',
          'prepd.venue.host': 'main',
          'prepd.venue.lane': 'read',
          'http.response.status_code': 200,
        },
      }),
    ])
    expect(callsOf('hot')).toEqual([])
  })

  test('tell what failed, and why', () => {
    expect(spanOf('failed')).toMatchObject({
      failed: true,
      fields: { 'error.type': 'upstream_unavailable', 'http.response.status_code': 502 },
    })
    const faults = callsOf('failed').map(({ failed, fields }) => [failed, fields['error.type']])
    expect(faults).toEqual([[true, 'reset']])
  })

  test('are not told where their caller does not record them', () => {
    expect(spanOf('unsampled')).toBeUndefined()
    expect(collector.spans.filter(({ traceId }) => traceId === TRACE_ID)).toHaveLength(
      1 + callsOf('child').length,
    )
  })

  test('are named by the lines of their request', () => {
    for (const id of ['child', 'hot', 'relay', 'failed']) {
      const span = spanOf(id)
      const named = linesOf(log).filter(({ request }) => request === id)
      expect(named.length).toBeGreaterThan(0)
      for (const { traceparent } of named) {
        expect(traceparent).toBe(`00-${span?.traceId}-${span?.spanId}-01`)
      }
    }
    const unsampled = linesOf(log).find(({ request }) => request === 'unsampled')
    expect(unsampled?.['traceparent']).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`))
  })

  test('hold no account, key, signature, path, query or address, and the log no header', () => {
    const sent = collector.exports.map(({ text }) => text).join('')
    for (const secret of [
      CANARY,
      caller.accountId,
      caller.key,
      '471100471100471',
      '203.0.113.77',
      venue.url,
    ])
      expect(sent).not.toContain(secret)
    expect(log).not.toContain(CANARY)
    const received = venue.requests.flatMap(({ headers }) => headers.map(([name]) => name))
    expect(received.map((name) => name.toLowerCase())).not.toContain('traceparent')
  })
})

test('a place in a trace is not taken from whoever is no trusted proxy', async () => {
  const collector = startCollector()
  const target = await openTarget('in process', {
    TRUSTED_PROXIES: 'none',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  const headers = { traceparent: parent('00') }
  await (await target.fetch('/api/prep/config', { headers })).text()
  await target.stop()
  const root = collector.spans.find(({ name }) => name === 'GET /api/prep/config')
  expect(root).toMatchObject({ parentSpanId: undefined })
  expect(collector.spans.map(({ traceId }) => traceId)).not.toContain(TRACE_ID)
  await collector.stop()
})
