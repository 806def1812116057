import { expect } from 'bun:test'
import { METRICS } from '../../src/contract/operator/metrics.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { testsNeeding } from '../programs.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { promtool } from './promtool.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding('metrics and Prometheus', 'promtool')

const CANARY = 'canary0123456789'
const caller = newCaller()
const ORDER = { method: 'POST', path: '/v1/order', body: '{"symbol":"PERP_ETH_USDC"}' } as const

const mcp = (name: string) =>
  jsonPost({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })

/** What all that was asked has left behind. */
const COUNTED: readonly (readonly [series: string, count: number])[] = [
  ['prepd_requests_total{route="markets",code="ok",status="200"}', 2],
  ['prepd_request_duration_seconds_count{route="markets",code="ok"}', 2],
  ['prepd_requests_total{route="tokens",code="upstream_unavailable",status="502"}', 1],
  ['prepd_requests_total{route="unknown",code="not_found",status="404"}', 1],
  ['prepd_requests_total{route="operation",code="not_found",status="404"}', 1],
  ['prepd_requests_total{route="markets.leverage",code="ok",status="200"}', 1],
  ['prepd_requests_total{route="page",code="ok",status="302"}', 1],
  ['prepd_requests_total{route="reference",code="ok",status="200"}', 1],
  ['prepd_log_lines_lost_total', 0],
  ['prepd_requests_total{route="registrationNonce",code="rate_limited",status="429"}', 1],
  ['prepd_requests_total{route="voucher",code="unavailable",status="503"}', 1],
  ['prepd_cache_answers_total{operation="route:markets",state="miss"}', 1],
  ['prepd_cache_answers_total{operation="route:markets",state="hit"}', 2],
  ['prepd_refusals_total{policy="write"}', 1],
  ['prepd_venue_faults_total{host="main",lane="read",fault="reset"}', 1],
  ['prepd_venue_answers_total{host="main",status="400",code="-1003"}', 1],
  ['prepd_venue_slots_in_use{lane="read"}', 0],
  ['prepd_venue_queued{lane="write"}', 0],
  ['prepd_relayed_writes_total{outcome="accepted"}', 1],
  ['prepd_relayed_writes_total{outcome="replayed"}', 1],
  ['prepd_ready', 1],
  ['prepd_backup_time_seconds', 0],
  ['prepd_relayed_writes_total{outcome="unknown"}', 0],
  ['prepd_requests_total{route="relay",code="internal",status="500"}', 0],
  ['prepd_refusals_total{policy="cancel"}', 0],
  ['prepd_proofs', 1],
  ['prepd_claims', 1],
  ['prepd_mcp_calls_total{tool="list_markets",code="ok"}', 1],
  ['prepd_mcp_calls_total{tool="place_order",code="ok"}', 0],
  ['prepd_mcp_calls_total{tool="place_order",code="internal"}', 0],
  ['prepd_swap_calls_total{verb="chains",code="not_configured"}', 1],
  ['prepd_vouchers_total{outcome="unavailable"}', 1],
]

const WAIT_MAX_MS = 60_000

describe.each(TARGET_KINDS)('metrics of the %s', (kind) => {
  let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
  let target: Target
  let text = ''

  beforeAll(async () => {
    venue = await startRecordingUpstream(({ target: path }) => {
      if (path.startsWith('/v1/public/token')) return 'close'
      if (path.startsWith('/v1/public/liquidat')) {
        return { status: 400, json: { success: false, code: -1003, message: CANARY } }
      }
      return { json: { success: true, timestamp: Date.now() + 60_000, data: { rows: [] } } }
    })
    target = await openTarget(kind, {
      VENUE: venue.url,
      OPS_LISTEN: '127.0.0.1:0',
      LIMIT_WRITE: '1/3600s burst 1',
      PAGE: 'on',
    })
    const order = jsonPost(envelope(caller, ORDER))
    const asks: [string, RequestInit?][] = [
      // Within the life of one answer.
      ['/api/prep/markets'],
      ['/api/prep/markets'],
      ['/mcp', mcp('list_markets')],
      ['/api/prep/tokens'],
      ['/api/prep/liquidations'],
      [`/api/prep/${CANARY}?q=${CANARY}`],
      [`/api/prep/op/${CANARY}`],
      ['/api/prep/op/markets.leverage'],
      ['/', { redirect: 'manual' }],
      ['/swagger/json'],
      ['/api/prep/registration-nonce'],
      ['/api/prep/registration-nonce'],
      ['/api/prep/relay', order],
      ['/api/prep/relay', order],
      ['/mcp', mcp(CANARY)],
      ['/api/swap/chains'],
      ['/api/relayer/voucher', jsonPost({ chainId: 1, txHash: `0x${'1'.repeat(64)}` })],
    ]
    for (const [path, init] of asks) await (await target.fetch(path, init)).text()
    // Some of it is counted a moment after the answer.
    const untilMs = performance.now() + WAIT_MAX_MS
    const isThere = () => COUNTED.every(([series, count]) => value(series) === count)
    while (!isThere() && performance.now() < untilMs) {
      await Bun.sleep(20)
      text = await (await target.ops('/metrics')).text()
    }
  })
  afterAll(async () => {
    await target.stop()
    await venue.stop()
  })

  const value = (series: string) => {
    const found = text.split('\n').find((line) => line.startsWith(`${series} `))
    return found === undefined ? null : Number(found.slice(series.length))
  }

  test('pass the checks of Prometheus', async () => {
    expect(await promtool(['check', 'metrics'], text)).toBe('ok')
  })

  test('are those of the table, and all of them but of practice, shared engines, vouchers and a certificate', () => {
    const named = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name]) => name)
    const alone = Object.keys(METRICS).filter(
      (name) => !/^prepd_(?:engine|tls|voucher|venue_books|venue_marks)_/.test(name),
    )
    expect(named).toEqual(alone)
  })

  test.each([...COUNTED])('%s is %d', (series, count) => {
    expect(value(series)).toBe(count)
  })

  test('tell how far the venue’s clock is ahead', () => {
    expect(value('prepd_venue_clock_skew_seconds')).toBeCloseTo(60, -1)
  })

  test('name no account, no key, no path and nothing that somebody sent', () => {
    for (const secret of [CANARY, caller.accountId, caller.key, '/v1/', '/api/', '127.0.0.1']) {
      expect(text).not.toContain(secret)
    }
  })
})
