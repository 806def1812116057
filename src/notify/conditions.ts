import { DAY_MS, HOUR_MS } from '../spec/durations.ts'
import { LIMITS } from '../spec/limits.ts'
import type { MetricName } from '../spec/operator/metrics.ts'

/** What the conditions are judged by. */
export type Seen = {
  readonly nowMs: number
  /** What a readiness check found missing, such as `venue: upstream_unavailable`; null where nothing is. */
  readonly missing: string | null
  /** The figure of a gauge; null where it has none. */
  readonly gauge: (name: MetricName) => number | null
  /** Whether a counter, of series with this label value alone where one is given, has grown lately. */
  readonly grew: (name: MetricName, label?: string) => boolean
  /** Whether a counter grows far faster than in the hour before. */
  readonly rising: (name: MetricName) => boolean
}

/** Something an operator has to know of. `page` goes out in quiet hours as well. */
export type Condition = {
  readonly level: 'page' | 'warn'
  readonly title: string
  readonly action: string
  /** What is sent when it does not hold any more; null for what has no end. */
  readonly over: string | null
  /** The name that it has in `degraded` of /readyz; absent where it is not shown there. */
  readonly degrades?: string
  /** What it is judged by, as a sentence. */
  readonly figure?: (seen: Seen) => string
  /** How long it has to hold first. */
  readonly forMs: number
  /** Null while it is not known: what was sent of it stays. */
  readonly holds: (seen: Seen) => boolean | null
}

/** With the probe of readiness and the time of a group, a notice is on its way within a minute. */
const SETTLE_MS = 15_000
const GIB = 2 ** 30
const CERTIFICATE_WARN_MS = 14 * DAY_MS
const BACKUP_WARN_MS = 2 * DAY_MS
const SKEW_MAX_SECONDS = LIMITS.venueSkewMaxMs / 1000
const CAP_WARN_RATIO = 0.8

/** By how much the clock of this machine is behind that of the venue, or ahead of it. */
function skewText({ gauge }: Seen): string {
  const seconds = Math.round(gauge('prepd_venue_clock_skew_seconds') ?? 0)
  const side = seconds > 0 ? 'behind' : 'ahead of'
  return `The clock of this machine is ${Math.abs(seconds)} s ${side} the venue’s.`
}

const below = (value: number | null, bound: number) => value !== null && value < bound

/** Where there are no engines any more, no instance is missed. */
function anyLost(lost: number | null, engineUp: number | null): boolean | null {
  if (lost === null) return engineUp === null ? false : null
  return lost > 0
}

/** Every condition, by the name that a message has of it. */
// biome-ignore format: one condition a row
export const CONDITIONS = {
  store_failing: { level: 'page', forMs: SETTLE_MS, title: 'The store keeps no records: writes are refused.', over: 'The store keeps records again.', action: 'Look at the disk, and at missing on /readyz.', holds: ({ missing }) => missing?.startsWith('store:') === true },
  venue_away: { level: 'page', forMs: SETTLE_MS, title: 'The venue does not answer.', over: 'The venue answers again.', action: 'Look for upstream_failed in the log, and whether the venue announced maintenance.', holds: ({ missing }) => missing?.startsWith('venue:') === true },
  books_away: { level: 'warn', forMs: SETTLE_MS, title: 'Practice on a live market: not every live order book is known.', over: 'Practice on a live market: every live order book is known again.', action: 'Look at the venue on the console, and for live_books_lost in the log: markets without a book take no orders and fill none.', holds: ({ gauge }) => (gauge('prepd_venue_books_away') ?? 0) > 0 },
  unknown_outcome: { level: 'page', forMs: 0, title: 'The outcome of a relayed write is unknown.', over: null, action: 'Find it with `prepd --mode admin logs explain`; it is never sent again.', holds: ({ grew }) => grew('prepd_relayed_writes_total', 'unknown') },
  venue_changed: { level: 'warn', forMs: 0, title: 'Answers of the venue differ from what this release knows.', over: null, action: 'Read venue_changed in the log or the console, and look for a newer release.', holds: ({ grew }) => grew('prepd_venue_changes_total') },
  disk_low: { level: 'warn', forMs: SETTLE_MS, title: 'Less than 1 GiB is free on the disk of the data directory.', over: 'The disk of the data directory has room again.', action: 'Make room: without it no write is claimed.', holds: ({ gauge }) => below(gauge('prepd_data_free_bytes'), GIB) },
  disk_full: { level: 'page', forMs: 0, title: 'Less than 64 MiB is free on the disk of the data directory.', over: null, action: 'Make room now: without it no write is claimed.', holds: ({ gauge }) => below(gauge('prepd_data_free_bytes'), GIB / 16) },
  certificate_ends: { level: 'warn', forMs: 0, title: 'The TLS certificate ends within 14 days, or has ended.', over: 'The TLS certificate was renewed.', action: 'Renew it, then send SIGHUP.', holds: ({ gauge, nowMs }) => below(gauge('prepd_tls_certificate_end_time_seconds'), (nowMs + CERTIFICATE_WARN_MS) / 1000) },
  clock_skew: { level: 'page', degrades: 'clock', figure: skewText, forMs: SETTLE_MS, title: 'The clocks of this machine and of the venue differ by more than 30 seconds.', over: 'The clocks agree again.', action: 'Run chrony or systemd-timesyncd: signatures are judged by the clock.', holds: ({ gauge }) => Math.abs(gauge('prepd_venue_clock_skew_seconds') ?? 0) > SKEW_MAX_SECONDS },
  backup_failing: { level: 'warn', forMs: 0, title: 'The last backup failed.', over: 'A backup was made again.', action: 'Look for backup_failed in the log; the next attempt is within an hour.', holds: ({ gauge }) => gauge('prepd_backup_failing') === 1 },
  backup_old: { level: 'warn', forMs: HOUR_MS, title: 'The last backup is older than two days, or there is none.', over: 'There is a new backup.', action: 'Look at PREPD_BACKUP, or at the job that runs `prepd --mode admin backup`.', holds: ({ gauge, nowMs }) => below(gauge('prepd_backup_time_seconds'), (nowMs - BACKUP_WARN_MS) / 1000) },
  engine_away: { level: 'page', forMs: SETTLE_MS, title: 'An engine that instances share does not answer.', over: 'The shared engines answer again.', action: 'Look at prepd_engine_up and engine_away in the log.', holds: ({ gauge }) => gauge('prepd_engine_up') === 0 },
  instance_lost: { level: 'page', forMs: 0, title: 'An instance that shares the engines has gone without stopping.', over: 'Every instance that shares the engines is there.', action: 'Look at its machine and its log, and start it again.', holds: ({ gauge }) => anyLost(gauge('prepd_engine_instances_lost'), gauge('prepd_engine_up')) },
  voucher_refused: { level: 'warn', forMs: 0, title: 'A voucher was refused on this side: its cap, its chain, its store or its key stands in the way.', over: null, action: 'Look at the console, at prepd_vouchers_total and at `voucher list`.', holds: ({ grew }) => ['internal', 'unreadable', 'unkept', 'closed'].some((outcome) => grew('prepd_vouchers_total', outcome)) },
  voucher_signer_away: { level: 'page', forMs: 0, title: 'A signer of vouchers on another machine does not sign.', over: 'Vouchers are signed again.', action: 'Look for voucher_signer_away in the log, at that machine, and at the end of the certificates.', holds: ({ gauge }) => gauge('prepd_voucher_signer_up') === 0 },
  voucher_cap_near: { level: 'warn', forMs: 0, title: 'More than 80 % of a cap of vouchers is in use.', over: 'Less than 80 % of every cap of vouchers is in use.', action: 'Look at the caps on the console; above the cap vouchers are refused until some have ended.', holds: ({ gauge }) => (gauge('prepd_voucher_cap_used_ratio') ?? 0) > CAP_WARN_RATIO },
  refusals_rising: { level: 'warn', forMs: 0, title: 'Far more requests are refused than before.', over: 'Requests are refused as seldom as before.', action: 'Look at prepd_refusals_total and prepd_requests_total by code, and at the callers on the console.', holds: ({ rising }) => rising('prepd_refusals_total') },
  records_lost: { level: 'page', forMs: 0, title: 'Records of the store were lost: accounts may only cancel and reduce.', over: 'The lost period is confirmed.', action: 'Read the lost period at /readyz, check freezes, mandates and webhooks, then run `prepd --mode admin loss confirm`.', holds: ({ gauge }) => gauge('prepd_records_lost') === 1 },
  maintenance: { level: 'warn', forMs: 0, title: 'Writes are closed for maintenance.', over: 'Writes are open again.', action: 'End it with `prepd --mode admin maintenance off`.', holds: ({ gauge }) => gauge('prepd_maintenance') === 1 },
} as const satisfies Record<string, Condition>
