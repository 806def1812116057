import { describe, expect, test } from 'bun:test'
import { HOUR_MS } from '../../../src/contract/durations.ts'
import {
  type ConditionInputs,
  NOTICE_CONDITIONS,
  type NoticeCondition,
  type RecentFigures,
  type TroubledPart,
} from '../../../src/operator/notify/conditions.ts'
import { AWAY, CALM, openNotifier, START_MS } from './fixture.ts'

describe('a condition', () => {
  test('that holds is sent once, with since when and what to do, and once more when it is over', async () => {
    const { world, pass, notices } = openNotifier()
    await pass(60_000)
    world.missing = AWAY
    await pass(10 * 60_000)
    expect(notices()).toEqual([
      {
        name: 'venue_away',
        state: 'begun',
        level: 'page',
        title: NOTICE_CONDITIONS.venue_away.title,
        figure: `Missing: ${AWAY}.`,
        action: NOTICE_CONDITIONS.venue_away.action,
        command: 'prepd --mode admin doctor',
        since: new Date(START_MS + 65_000).toISOString(),
      },
    ])
    world.missing = null
    await pass(60_000)
    expect(notices().at(-1)).toMatchObject({
      name: 'venue_away',
      state: 'over',
      title: 'The venue answers again.',
      since: new Date(START_MS + 65_000).toISOString(),
    })
    expect(notices()).toHaveLength(2)
  })

  test('that holds for less than its time is not sent', async () => {
    const { world, pass, notices } = openNotifier()
    world.missing = AWAY
    await pass(NOTICE_CONDITIONS.venue_away.forMs)
    world.missing = null
    await pass(10 * 60_000)
    expect(notices()).toEqual([])
  })

  test('of an unknown outcome names the account as the log does, and the command that finds it', async () => {
    const { world, meter, pass, notices, noteUnknown } = openNotifier()
    meter.counter('prepd_relayed_writes_total', 'unknown').add()
    // The last one is a replay of the first.
    for (const account of ['a', 'b', 'a']) {
      noteUnknown(account)
      world.nowMs += 1000
    }
    await pass(60_000)
    const at = (ms: number) => new Date(START_MS + ms).toISOString()
    expect(notices()).toMatchObject([
      {
        name: 'unknown_outcome',
        figure: `The newest: account tag of b at ${at(1000)}, account tag of a at ${at(0)}.`,
        command: `prepd --mode admin logs explain FILE --account tag of b --at ${at(1000)}`,
      },
    ])
  })

  test('of an unknown outcome that no log line names has no command', async () => {
    const { meter, pass, notices } = openNotifier()
    meter.counter('prepd_relayed_writes_total', 'unknown').add()
    await pass(60_000)
    expect(notices()).toMatchObject([{ name: 'unknown_outcome', figure: '', command: '' }])
  })

  test('of a counter is sent at its first growth, and again only after a calm hour', async () => {
    const { meter, pass, notices } = openNotifier()
    const counter = meter.counter('prepd_relayed_writes_total', 'unknown')
    counter.add()
    await pass(60_000)
    counter.add()
    await pass(HOUR_MS / 2)
    expect(notices().map(({ name, state }) => [name, state])).toEqual([
      ['unknown_outcome', 'happened'],
    ])
    await pass(HOUR_MS)
    counter.add()
    await pass(60_000)
    expect(notices()).toHaveLength(2)
  })

  test('of refusals is sent when they come ten times as fast as in the hour before, and once over', async () => {
    const { meter, pass, notices } = openNotifier()
    const refusals = meter.counter('prepd_refusals_total', 'read')
    const refused = async (perMinute: number, minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        for (let count = 0; count < perMinute; count += 1) refusals.add()
        await pass(60_000)
      }
    }
    // A process that has just begun knows no before, however many there are.
    await refused(50, 9)
    await refused(3, 70)
    await refused(29, 5)
    expect(notices()).toEqual([])
    await refused(3, 70)
    await refused(40, 6)
    expect(notices().map(({ name, state }) => [name, state])).toEqual([
      ['refusals_rising', 'begun'],
    ])
    await refused(3, 10)
    expect(notices().map(({ state }) => state)).toEqual(['begun', 'over'])
  })

  const NEVER: ConditionInputs = {
    nowMs: START_MS,
    missing: null,
    lately: CALM,
    unknownWrites: [],
    trouble: () => null,
    gauge: () => null,
    peak: () => null,
    grew: () => false,
    rising: () => false,
  }
  const gauges = (figures: Record<string, number>): ConditionInputs => ({
    ...NEVER,
    gauge: (name) => figures[name] ?? null,
  })
  const grown = (...names: string[]): ConditionInputs => ({
    ...NEVER,
    grew: (name, label) => names.includes(label === undefined ? name : `${name} ${label}`),
  })
  const lately = (figures: Partial<RecentFigures>): ConditionInputs => ({
    ...NEVER,
    lately: { ...CALM, ...figures },
  })
  const troubled = (part: TroubledPart, own: ConditionInputs = NEVER): ConditionInputs => ({
    ...own,
    trouble: (asked) => (asked === part ? 'Why.' : null),
  })
  const SECONDS = START_MS / 1000

  test.each([
    ['store_failing', { ...NEVER, missing: 'store: SQLITE_FULL' }, { ...NEVER, missing: AWAY }],
    ['venue_away', { ...NEVER, missing: AWAY }, { ...NEVER, missing: 'store: x' }],
    [
      'unknown_outcome',
      grown('prepd_relayed_writes_total unknown'),
      grown('prepd_relayed_writes_total ok'),
    ],
    ['venue_changed', grown('prepd_venue_changes_total'), NEVER],
    [
      'disk_low',
      gauges({ prepd_data_free_bytes: 2 ** 30 - 1 }),
      gauges({ prepd_data_free_bytes: 2 ** 30 }),
    ],
    [
      'disk_full',
      gauges({ prepd_data_free_bytes: 2 ** 26 - 1 }),
      gauges({ prepd_data_free_bytes: 2 ** 26 }),
    ],
    [
      'certificate_ends',
      gauges({ prepd_tls_certificate_end_time_seconds: SECONDS + 14 * 86_400 - 1 }),
      gauges({ prepd_tls_certificate_end_time_seconds: SECONDS + 14 * 86_400 }),
    ],
    [
      'clock_skew',
      gauges({ prepd_venue_clock_skew_seconds: -31 }),
      gauges({ prepd_venue_clock_skew_seconds: 30 }),
    ],
    [
      'backup_old',
      gauges({ prepd_backup_time_seconds: SECONDS - 2 * 86_400 - 1 }),
      gauges({ prepd_backup_time_seconds: SECONDS - 2 * 86_400 }),
    ],
    ['engine_away', gauges({ prepd_engine_up: 0 }), gauges({ prepd_engine_up: 1 })],
    ['voucher_refused', grown('prepd_vouchers_total closed'), grown('prepd_vouchers_total issued')],
    [
      'voucher_signer_away',
      gauges({ prepd_voucher_signer_up: 0 }),
      gauges({ prepd_voucher_signer_up: 1 }),
    ],
    [
      'voucher_cap_near',
      gauges({ prepd_voucher_cap_used_ratio: 0.81 }),
      gauges({ prepd_voucher_cap_used_ratio: 0.8 }),
    ],
    [
      'certificate_ended',
      gauges({ prepd_tls_certificate_end_time_seconds: SECONDS }),
      gauges({ prepd_tls_certificate_end_time_seconds: SECONDS + 1 }),
    ],
    [
      'backup_late',
      troubled('backup', gauges({ prepd_backup_failing: 0 })),
      troubled('backup', gauges({ prepd_backup_failing: 1 })),
    ],
    ['fenced', { ...NEVER, peak: () => 1 }, { ...NEVER, peak: () => 0 }],
    ['crash_loop', troubled('process'), NEVER],
    [
      'proxy_not_trusted',
      grown('prepd_forwarded_ignored_total private'),
      grown('prepd_forwarded_ignored_total public'),
    ],
    [
      'standby_lapsed',
      grown('prepd_standbys_total lapsed'),
      grown('prepd_standbys_total cancelled'),
    ],
    ['descriptors_exhausted', troubled('descriptors'), troubled('backup')],
    ['internal_errors', grown('prepd_mcp_calls_total internal'), grown('prepd_requests_total ok')],
    ['unexpected_errors', grown('prepd_unexpected_errors_total'), NEVER],
    ['requests_failing', lately({ faults: [{ name: 'internal', count: 1 }] }), lately({})],
    ['requests_refused', lately({ failedShare: 0.06 }), lately({ failedShare: 0.05 })],
    ['requests_slow', lately({ slowestMs: 1001 }), lately({ slowestMs: 1000 })],
    ['process_busy', lately({ loopDelayMs: 101 }), lately({ loopDelayMs: 100 })],
    ['venue_slow', lately({ venueSlowestMs: 3001 }), lately({ venueSlowestMs: 3000 })],
    ['refusals_rising', { ...NEVER, rising: () => true }, NEVER],
    ['records_lost', gauges({ prepd_records_lost: 1 }), gauges({ prepd_records_lost: 0 })],
    ['maintenance', gauges({ prepd_maintenance: 1 }), gauges({ prepd_maintenance: 0 })],
  ] as const)('%s holds at its bound and not before', (name, trouble, well) => {
    const { holds }: NoticeCondition = NOTICE_CONDITIONS[name]
    expect([trouble, well, NEVER].map((seen) => holds(seen, 1))).toEqual([true, false, false])
  })
})
