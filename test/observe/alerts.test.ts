import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ACCEPTED, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target } from '../target.ts'
import { alertRules, playTrouble, type Trouble } from './alerting.ts'

const DAY_SECONDS = 86_400
const CALL = 'prepd_venue_call_duration_seconds'

/** The trouble of each rule. Gauges that are well stand at the last value that is; time begins at 0. */
const TROUBLES: readonly Trouble[] = [
  { alert: 'PrepdDown', gauges: { up: [1, 0] } },
  { alert: 'PrepdNotReady', gauges: { prepd_ready: [1, 0] } },
  {
    // Of a quiet service these are the calls of its probe.
    alert: 'PrepdVenueUnreachable',
    grows: {
      'prepd_venue_faults_total{host="main",lane="read",fault="unreachable"}': 1,
      [`${CALL}_count{host="main",lane="read"}`]: 1,
    },
  },
  {
    alert: 'PrepdVenueBusy',
    grows: { 'prepd_venue_answers_total{host="main",status="429",code="-1003"}': 1 },
  },
  {
    alert: 'PrepdVenueSlow',
    grows: {
      [`${CALL}_bucket{host="main",lane="read",le="2.5"}`]: 8,
      [`${CALL}_bucket{host="main",lane="read",le="5"}`]: 10,
      [`${CALL}_bucket{host="main",lane="read",le="+Inf"}`]: 10,
    },
  },
  { alert: 'PrepdVenueQueue', gauges: { 'prepd_venue_queued{lane="read"}': [50, 51] } },
  {
    alert: 'PrepdVenueChanged',
    labels: { operation: 'markets.list' },
    first: ['prepd_venue_changes_total{operation="markets.list"}'],
  },
  { alert: 'PrepdUnknownOutcomes', first: ['prepd_relayed_writes_total{outcome="unknown"}'] },
  { alert: 'PrepdStandbyLapsed', first: ['prepd_standbys_total{state="lapsed"}'] },
  {
    alert: 'PrepdServerErrors',
    first: ['prepd_requests_total{route="relay",code="internal",status="500"}'],
  },
  {
    alert: 'PrepdUnexpectedErrors',
    labels: { part: 'stream' },
    first: ['prepd_unexpected_errors_total{part="stream"}'],
  },
  {
    alert: 'PrepdRefusals',
    labels: { policy: 'read' },
    grows: { 'prepd_refusals_total{policy="read"}': 151 },
  },
  {
    alert: 'PrepdEventLoop',
    grows: {
      'prepd_event_loop_delay_seconds_bucket{le="0.25"}': 0,
      'prepd_event_loop_delay_seconds_bucket{le="0.5"}': 1,
      'prepd_event_loop_delay_seconds_bucket{le="+Inf"}': 1,
    },
  },
  {
    alert: 'PrepdStoreFailing',
    first: ['prepd_housekeeping_failures_total{task="flush"}'],
  },
  { alert: 'PrepdDiskLow', gauges: { prepd_data_free_bytes: [2 ** 30, 2 ** 30 - 1] } },
  { alert: 'PrepdDiskFull', gauges: { prepd_data_free_bytes: [2 ** 26, 2 ** 26 - 1] } },
  { alert: 'PrepdBackupOld', gauges: { prepd_backup_time_seconds: [0, -2 * DAY_SECONDS] } },
  { alert: 'PrepdBackupFailing', gauges: { prepd_backup_failing: [0, 1] } },
  { alert: 'PrepdClockSkew', gauges: { prepd_venue_clock_skew_seconds: [30, -31] } },
  {
    alert: 'PrepdEngineClockSkew',
    labels: { engine: 'postgres' },
    gauges: { 'prepd_engine_clock_skew_seconds{engine="postgres"}': [5, -6] },
  },
  {
    alert: 'PrepdCertificateEnds',
    gauges: { prepd_tls_certificate_end_time_seconds: [15 * DAY_SECONDS, 14 * DAY_SECONDS] },
  },
  {
    alert: 'PrepdCertificateEnded',
    gauges: { prepd_tls_certificate_end_time_seconds: [DAY_SECONDS, 0] },
  },
  { alert: 'PrepdMaintenance', gauges: { prepd_maintenance: [0, 1] } },
  { alert: 'PrepdRecordsLost', gauges: { prepd_records_lost: [0, 1] } },
  {
    alert: 'PrepdDescriptors',
    gauges: { process_open_fds: [80, 81], process_max_fds: [100, 100] },
  },
  { alert: 'PrepdDescriptorsExhausted', first: ['prepd_descriptor_shortages_total'] },
  { alert: 'PrepdLogLost', first: ['prepd_log_lines_lost_total'] },
  { alert: 'PrepdVoucherSignerConflict', gauges: { prepd_voucher_signer_conflict: [0, 1] } },
  { alert: 'PrepdVoucherSignerAway', gauges: { prepd_voucher_signer_up: [1, 0] } },
  { alert: 'PrepdVoucherCapNear', gauges: { prepd_voucher_cap_used_ratio: [0.8, 0.81] } },
  { alert: 'PrepdInstanceLost', gauges: { prepd_engine_instances_lost: [0, 1] } },
  {
    alert: 'PrepdVenueFeedAlone',
    labels: { role: 'alone' },
    gauges: { 'prepd_engine_feed{role="alone"}': [0, 1] },
  },
  { alert: 'PrepdFenced', gauges: { 'prepd_engine_fenced{engine="postgres"}': [0, 1] } },
]

/** What a process does not show of itself, has no engine for, or only with a certificate or vouchers. */
const UNPLAYED = /^(?:up$|prepd_engine_|prepd_tls_certificate_|prepd_voucher_)/

test('there is a trouble for every rule', async () => {
  const alerts = (await alertRules()).map(({ alert }) => alert)
  expect(TROUBLES.map(({ alert }) => alert)).toEqual(alerts)
})

// Slow: the rules are checked by the program of Prometheus.
test.each([...TROUBLES])(
  '$alert is silent on a quiet service, fires at the first event, and is silent again after it',
  async (trouble) => {
    expect(await playTrouble(trouble)).toBe('ok')
  },
)

test('a counter that begins with its first event would be missed', async () => {
  const counted = TROUBLES.find(({ alert }) => alert === 'PrepdUnknownOutcomes')
  if (!counted) throw new Error('no such rule')
  expect(await playTrouble(counted, true)).toContain('got:[]')
})

describe('a process that nobody has called', () => {
  let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
  let target: Target
  let lines: readonly string[] = []
  let received: readonly string[] = []
  beforeAll(async () => {
    venue = await startRecordingUpstream(() => ACCEPTED)
    target = await openTarget('in process', { VENUE: venue.url, OPS_LISTEN: '127.0.0.1:0' })
    // The probe comes soon after the start.
    while (!lines.some((line) => line.startsWith('prepd_ready '))) {
      await Bun.sleep(10)
      lines = (await (await target.ops('/metrics')).text()).split('\n')
    }
    received = venue.received.map(({ target: path }) => path)
  })
  afterAll(async () => {
    await target.stop()
    await venue.stop()
  })

  test('shows every gauge that a rule reads, and every counter at zero', () => {
    const shown = (series: string) =>
      lines.find((line) => line.startsWith(`${series} `))?.slice(series.length + 1)
    for (const { gauges = {}, grows = {}, first = [] } of TROUBLES) {
      const isLoop = (series: string) => series.startsWith('prepd_event_loop_delay_')
      const names = Object.keys(gauges).filter((series) => !UNPLAYED.test(series))
      const counters = [...Object.keys(grows), ...first].filter((series) => !isLoop(series))
      for (const series of names) expect([series, shown(series)]).not.toContain(undefined)
      for (const series of counters) {
        const isProbed = series.includes('call_duration_seconds') && series.includes('"read"')
        expect([series, shown(series)]).toEqual([series, isProbed ? '1' : '0'])
      }
    }
  })

  test('is ready by what its probe found, with all of its writes and routes at zero', () => {
    expect(lines).toContain('prepd_ready 1')
    expect(lines).toContain('prepd_maintenance 0')
    expect(lines).toContain('prepd_backup_time_seconds 0')
    const internal = lines.filter((line) => /^prepd_requests_total\{.*code="internal"/.test(line))
    expect(internal.length).toBeGreaterThan(100)
    expect(internal.filter((line) => !line.endsWith(' 0'))).toEqual([])
    expect(received).toEqual(['/v1/public/system_info'])
  })
})
