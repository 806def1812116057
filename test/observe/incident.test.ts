import { expect } from 'bun:test'
import { testsNeeding } from '../programs.ts'
import { type AnswerSpec, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { type Phase, playAlerts } from './alerting.ts'
import { eventually, linesOf } from './lines.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding('alerts of an incident', 'promtool')

const OK = { json: { success: true, timestamp: Date.now(), data: { rows: [] } } } as const
const STATUS_OK = {
  json: { ...OK.json, data: { status: 0, msg: 'ok', scheduled_maintenance: null } },
} as const
const ROUTE = 'markets.trades'
const READ = `/api/prep/op/${ROUTE}?symbol=PERP_ETH_USDC`

type Stage = {
  readonly name: string
  readonly venue: AnswerSpec
  readonly status: number
  readonly code: string
  readonly readiness: object
  /** How the call to the venue is logged. */
  readonly call: object
  readonly series: string
  readonly firing: readonly string[]
}

const STAGES: readonly Stage[] = [
  {
    name: 'well',
    venue: OK,
    status: 200,
    code: 'ok',
    readiness: { ready: true },
    call: { event: 'upstream_call', status: 200 },
    series: 'prepd_venue_answers_total{host="main",status="200",code="none"}',
    firing: [],
  },
  {
    name: 'slow',
    venue: { ...OK, delayMs: 2_200 },
    status: 200,
    code: 'ok',
    readiness: { ready: true },
    call: { event: 'upstream_slow', level: 'warn' },
    series: 'prepd_venue_call_duration_seconds_bucket{host="main",lane="read",le="10"}',
    firing: ['PrepdVenueSlow'],
  },
  {
    name: 'busy',
    venue: { status: 429, json: { success: false, code: -1003, message: 'too many' } },
    status: 503,
    code: 'upstream_busy',
    readiness: { ready: false, missing: 'venue: upstream_busy' },
    call: { event: 'upstream_failed', level: 'warn', fault: 'http_429' },
    series: 'prepd_venue_answers_total{host="main",status="429",code="-1003"}',
    firing: ['PrepdVenueBusy'],
  },
  {
    name: 'down',
    venue: 'close',
    status: 502,
    code: 'upstream_unavailable',
    readiness: { ready: false, missing: 'venue: upstream_unavailable' },
    call: { event: 'upstream_failed', level: 'warn', fault: 'reset' },
    series: 'prepd_venue_faults_total{host="main",lane="read",fault="reset"}',
    firing: ['PrepdVenueUnreachable'],
  },
  {
    name: 'back',
    venue: OK,
    status: 200,
    code: 'ok',
    readiness: { ready: true },
    call: { event: 'upstream_recovered', level: 'info' },
    series: 'prepd_venue_answers_total{host="main",status="200",code="none"}',
    firing: [],
  },
]

describe.each(USUAL_KINDS)('an incident of the venue, before the %s', (kind) => {
  let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
  let target: Target
  let answer: AnswerSpec = OK
  let before = ''
  const phases: Phase[] = []

  beforeAll(async () => {
    // The slow stage slows down the caller's read alone, not the look for readiness.
    venue = await startRecordingUpstream(({ target: path }) => {
      if (path.startsWith('/v1/public/market_trades')) return answer
      return answer === OK || Object(answer).delayMs > 0 ? STATUS_OK : answer
    })
    target = await openTarget(kind, { VENUE: venue.url, OPS_LISTEN: '127.0.0.1:0' })
  })
  afterAll(async () => {
    await target.stop()
    await venue.stop()
  })

  const page = async () => (await target.ops('/metrics')).text()
  const figure = (text: string, series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length) ?? 0,
    )

  test.each(STAGES)('$name: caller, metrics, readiness and log say so', async (stage) => {
    answer = stage.venue
    const id = `incident-${stage.name}`
    const response = await target.fetch(READ, { headers: { 'x-request-id': id } })
    expect(response.status).toBe(stage.status)
    expect(response.headers.get('x-request-id')).toBe(id)
    await response.text()

    // From the caller's id to the call to the venue, and back to the answer.
    const mine = () => linesOf(target.log()).filter(({ request }) => request === id)
    const access = await eventually(() => mine().find(({ event }) => event === 'request'))
    expect(access).toMatchObject({ route: ROUTE, code: stage.code, status: stage.status })
    expect(mine()).toContainEqual(expect.objectContaining(stage.call))

    // A look that began in the stage before may still end with its answer.
    await eventually(async () => {
      const shown = await (await target.ops('/readyz')).json()
      return Bun.deepMatch(stage.readiness, shown) || undefined
    })
    const now = await page()
    expect(figure(now, stage.series)).toBeGreaterThan(figure(before, stage.series))
    before = now
    phases.push({ name: stage.name, page: now, firing: stage.firing })
  })

  test('the log tells it in order, in one line each', () => {
    const logged = linesOf(target.log()).filter(({ event }) =>
      ['upstream_slow', 'upstream_failed', 'upstream_recovered'].includes(event),
    )
    expect(logged.map(({ event, fault }) => fault ?? event)).toEqual([
      'upstream_slow',
      'http_429',
      'reset',
      'upstream_recovered',
    ])
    // The caller's and those of the looks for readiness, of which the server makes some by itself.
    const last = phases.at(-1)?.page ?? ''
    const failed = STAGES.filter(({ code }) => code.startsWith('upstream_'))
    const failures = failed.reduce((sum, { series }) => sum + figure(last, series), 0)
    expect(failures).toBeGreaterThanOrEqual(4)
    expect(logged.at(-1)).toMatchObject({ failures })
  })

  // Slow: the rules are checked by the program of Prometheus.
  test('the alerts fire in order, and none when it is over', async () => {
    expect(await playAlerts(phases)).toBe('ok')
  })
})
