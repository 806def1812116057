import type { ConsoleSection, NamedCount, Tile } from '../../contract/console/figures.ts'
import { CONSOLE_THRESHOLDS } from '../../contract/console/limits.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { MetricName } from '../../contract/operator/metrics.ts'

/** Recent figures of requests and calls. A figure is null if there were too few. */
export type RecentFigures = {
  /** The share of the last minute's requests that failed or were refused. */
  readonly failedShare: number | null
  /** The third-highest 99th percentile of request durations, in ms, among the sampling periods of the last minute. */
  readonly slowestMs: number | null
  /** The third-highest delay of timers, in ms, among the sampling periods of the last minute. */
  readonly loopDelayMs: number | null
  /** The 99th percentile in ms of the last hour's calls to the venue. */
  readonly venueSlowestMs: number | null
  /** Failures of this server or its venue in the last five minutes, counted by code. */
  readonly faults: readonly NamedCount[]
}

/** A part of the server that can describe its own trouble. */
export type TroubledPart = 'backup' | 'descriptors' | 'process' | 'store' | 'voucher_signer'

/** A relayed write whose outcome is unknown. `tag` is its account's tag in the log. */
export type UnknownWrite = { readonly tag: string; readonly atMs: number }

/** The inputs of conditions. */
export type ConditionInputs = {
  readonly nowMs: number
  /** Why the server is not ready, such as `venue: upstream_unavailable`; null if it is ready. */
  readonly missing: string | null
  readonly lately: RecentFigures
  /** The newest writes with an unknown outcome, newest first. */
  readonly unknownWrites: readonly UnknownWrite[]
  /** The trouble of a part as a sentence; null if it has no trouble. */
  readonly trouble: (part: TroubledPart) => string | null
  /** The lowest value among a gauge's series; null if it has no series. */
  readonly gauge: (name: MetricName) => number | null
  /** The highest value among a gauge's series; null if it has no series. */
  readonly peak: (name: MetricName) => number | null
  /** Whether a counter grew within the last hour. With `label`, only series that have this label value count. */
  readonly grew: (name: MetricName, label?: string) => boolean
  /** Whether a counter grows many times faster than in the hour before. A margin below 1 lowers the threshold. */
  readonly rising: (name: MetricName, margin: number) => boolean
}

/**
 * A condition that an operator must know about. Notices, the console and /readyz use this table. Notices of level
 * `page` are also sent in quiet hours.
 */
export type NoticeCondition = {
  readonly level: 'page' | 'warn'
  readonly title: string
  readonly action: string
  /** The command that the operator should run next; absent: `prepd --mode admin doctor`. */
  readonly command?: string | ((seen: ConditionInputs) => string)
  /** Whether all instances of a deployment see this condition. Then only one instance sends its notice. */
  readonly isShared?: true
  /** The notice of the condition's end; null if it has no end. */
  readonly over: string | null
  /** The section of the console that shows details. */
  readonly at: ConsoleSection
  /** The console tile that this condition colours. */
  readonly tile?: Tile
  /** The condition's name in `degraded` of /readyz; absent if /readyz does not list it. */
  readonly degrades?: string
  /** The measured figure as a sentence. */
  readonly figure?: (seen: ConditionInputs) => string | null
  /** How long the condition must hold before its notice is sent; null if the condition never sends a notice. */
  readonly forMs: number | null
  /**
   * Whether the condition holds; null if unknown, and then an open notice stays open. `margin` scales the threshold: 1
   * tests whether the condition holds, END_MARGIN whether its notice stays open.
   */
  readonly holds: (seen: ConditionInputs, margin: number) => boolean | null
}

/** Hysteresis: a notice ends only at this distance from its threshold, so that a figure near it sends one notice. */
export const END_MARGIN = 0.8

/** How long most conditions must hold. With the probe and the grouping time, a notice is sent within a minute. */
const SETTLE_MS = 15_000
const SLOW_FOR_MS = 5 * MINUTE_MS
const MIB = 2 ** 20
const GIB = 2 ** 30
const CERTIFICATE_WARN_MS = 14 * DAY_MS
const BACKUP_WARN_MS = 2 * DAY_MS
const SKEW_MAX_SECONDS = LIMITS.venueSkewMaxMs / 1000
const CAP_WARN_RATIO = 0.8

/** The clock skew between this machine and the venue, as a sentence. */
function skewText({ gauge }: ConditionInputs): string {
  const seconds = Math.round(gauge('prepd_venue_clock_skew_seconds') ?? 0)
  const side = seconds > 0 ? 'behind' : 'ahead of'
  return `The clock of this machine is ${Math.abs(seconds)} s ${side} the venue’s.`
}

function unknownText({ unknownWrites }: ConditionInputs): string | null {
  const rows = unknownWrites.map(({ tag, atMs }) => `account ${tag} at ${isoText(atMs)}`)
  return rows.length === 0 ? null : `The newest: ${rows.join(', ')}.`
}

/** The command that explains the newest write with an unknown outcome; '' without such a write. */
function explainCommand({ unknownWrites: [newest] }: ConditionInputs): string {
  if (!newest) return ''
  return `prepd --mode admin logs explain FILE --account ${newest.tag} --at ${isoText(newest.atMs)}`
}

function isoText(ms: number): string {
  return new Date(ms).toISOString()
}

/** The free space on the data directory's disk, as a sentence. */
function freeText({ gauge }: ConditionInputs): string {
  return `${Math.floor((gauge('prepd_data_free_bytes') ?? 0) / MIB)} MiB are free.`
}

function timeText(what: string, seconds: number | null): string | null {
  return seconds === null ? null : `${what} ${isoText(Math.round(seconds * 1000))}.`
}

function faultsText({ lately: { faults } }: ConditionInputs): string {
  const total = faults.reduce((sum, { count }) => sum + count, 0)
  const codes = faults.map(({ name, count }) => `${name} ${count}`).join(', ')
  return `${total} ${total === 1 ? 'request' : 'requests'}: ${codes}.`
}

const INTERNAL_COUNTERS = [
  'prepd_requests_total',
  'prepd_mcp_calls_total',
  'prepd_swap_calls_total',
] as const
/** Takes all results at once: a counter's growth is noticed only when it is read, so every counter must be read. */
const anyGrew = (growths: readonly boolean[]) => growths.includes(true)
const above = (value: number | null, bound: number) => value !== null && value > bound
const atMost = (value: number | null, bound: number) => value !== null && value <= bound
const below = (value: number | null, bound: number) => value !== null && value < bound

/** Whether instances are lost; null if unknown, false if there are no shared engines. */
function anyLost(lost: number | null, engineUp: number | null): boolean | null {
  if (lost === null) return engineUp === null ? false : null
  return lost > 0
}

/**
 * Null while a shared engine is fenced. The condition `fenced` then reports the engine, and an earlier notice of this
 * condition stays open.
 */
function unlessFenced(holds: boolean, { peak }: ConditionInputs): boolean | null {
  return holds && peak('prepd_engine_fenced') === 1 ? null : holds
}

/** Null while lost records make the server unready. The condition `records_lost` then reports the cause. */
function unlessLost(holds: boolean | null, { gauge }: ConditionInputs): boolean | null {
  return holds && gauge('prepd_records_lost') === 1 ? null : holds
}

/** All conditions by name. */
// biome-ignore format: one condition a row
export const NOTICE_CONDITIONS = {
  store_failing: { level: 'page', isShared: true, at: 'state', figure: ({ missing }) => missing && `Missing: ${missing}.`, forMs: SETTLE_MS, title: 'The store accepts no records: writes are refused.', over: 'The store accepts records again.', action: 'Look at the disk, and at missing on /readyz.', holds: (seen) => unlessLost(unlessFenced(seen.missing?.startsWith('store:') === true, seen), seen) },
  venue_away: { level: 'page', isShared: true, at: 'venue', tile: 'venue', figure: ({ missing }) => missing && `Missing: ${missing}.`, forMs: SETTLE_MS, title: 'The venue does not answer.', over: 'The venue answers again.', action: 'Look for upstream_failed in the log, and whether the venue announced maintenance.', holds: ({ missing }) => missing?.startsWith('venue:') === true },
  books_away: { level: 'warn', isShared: true, at: 'venue', figure: ({ gauge }) => `${gauge('prepd_venue_books_away') ?? 0} order books are not known.`, forMs: SETTLE_MS, title: 'Practice on a live market: not every live order book is known.', over: 'Practice on a live market: every live order book is known again.', action: 'Look at the venue on the console, and for live_books_lost in the log: markets without a book are halted.', holds: ({ gauge }) => (gauge('prepd_venue_books_away') ?? 0) > 0 },
  unknown_outcome: { level: 'page', at: 'writes', figure: unknownText, forMs: 0, title: 'The outcome of a relayed write is unknown.', over: null, action: 'Find the write in the log, or in the account’s orders at the venue. prepd never sends it again.', command: explainCommand, holds: ({ grew }) => grew('prepd_relayed_writes_total', 'unknown') },
  venue_changed: { level: 'warn', isShared: true, at: 'venue', forMs: 0, title: 'Answers of the venue differ from those that this release expects.', over: null, action: 'Read venue_changed in the log or the console, and look for a newer release.', command: 'prepd --mode admin doctor venue', holds: ({ grew }) => grew('prepd_venue_changes_total') },
  disk_low: { level: 'warn', at: 'state', figure: freeText, forMs: SETTLE_MS, title: 'Less than 1 GiB is free on the disk of the data directory.', over: 'The disk of the data directory has room again.', action: 'Make room: on a full disk, only cancels are sent.', holds: ({ gauge }, margin) => below(gauge('prepd_data_free_bytes'), GIB / margin) },
  disk_full: { level: 'page', at: 'state', figure: freeText, forMs: 0, title: 'Less than 64 MiB is free on the disk of the data directory.', over: null, action: 'Make room now: on a full disk, only cancels are sent.', holds: ({ gauge }, margin) => below(gauge('prepd_data_free_bytes'), GIB / 16 / margin) },
  certificate_ends: { level: 'warn', at: 'state', figure: ({ gauge }) => timeText('The certificate ends at', gauge('prepd_tls_certificate_end_time_seconds')), forMs: 0, title: 'The TLS certificate ends within 14 days, or has ended.', over: 'The TLS certificate was renewed.', action: 'Renew it, then send SIGHUP.', holds: ({ gauge, nowMs }) => below(gauge('prepd_tls_certificate_end_time_seconds'), (nowMs + CERTIFICATE_WARN_MS) / 1000) },
  certificate_ended: { level: 'page', at: 'state', degrades: 'certificate', figure: ({ gauge }) => timeText('The certificate ended at', gauge('prepd_tls_certificate_end_time_seconds')), forMs: 0, title: 'The TLS certificate has ended: clients refuse to connect.', over: 'The TLS certificate is valid again.', action: 'Renew it now, then send SIGHUP.', holds: ({ gauge, nowMs }) => atMost(gauge('prepd_tls_certificate_end_time_seconds'), nowMs / 1000) },
  clock_skew: { level: 'page', at: 'state', degrades: 'clock', figure: skewText, forMs: SETTLE_MS, title: 'The clocks of this machine and of the venue differ by more than 30 seconds.', over: 'The clocks agree again.', action: 'Run chrony or systemd-timesyncd: signatures expire by this clock.', holds: ({ gauge }, margin) => Math.abs(gauge('prepd_venue_clock_skew_seconds') ?? 0) > SKEW_MAX_SECONDS * margin },
  backup_failing: { level: 'warn', at: 'state', degrades: 'backup', figure: ({ trouble }) => trouble('backup'), forMs: 0, title: 'The last backup failed.', over: 'A backup was made again.', action: 'Look for backup_failed in the log; the next attempt is within an hour.', command: 'prepd --mode admin backups make', holds: ({ gauge }) => gauge('prepd_backup_failing') === 1 },
  backup_late: { level: 'warn', at: 'state', degrades: 'backup', figure: ({ trouble }) => trouble('backup'), forMs: 0, title: 'A backup of PREPD_BACKUP is overdue.', over: 'There is a new backup.', action: 'Run `prepd --mode admin backups make`, and look for backup_failed in the log.', command: 'prepd --mode admin backups make', holds: ({ gauge, trouble }) => gauge('prepd_backup_failing') === 0 && trouble('backup') !== null },
  backup_old: { level: 'warn', at: 'state', figure: ({ gauge }) => timeText('The last backup was made at', gauge('prepd_backup_time_seconds') || null), forMs: HOUR_MS, title: 'The last backup is older than two days, or missing.', over: 'There is a new backup.', action: 'Look at PREPD_BACKUP, or at the job that runs `prepd --mode admin backup`.', holds: ({ gauge, nowMs }) => below(gauge('prepd_backup_time_seconds'), (nowMs - BACKUP_WARN_MS) / 1000) },
  engine_away: { level: 'page', isShared: true, at: 'engines', forMs: SETTLE_MS, title: 'PostgreSQL or Valkey, which the instances share, does not answer.', over: 'PostgreSQL and Valkey answer again.', action: 'Look at prepd_engine_up and engine_away in the log.', holds: (seen) => unlessFenced(seen.gauge('prepd_engine_up') === 0, seen) },
  fenced: { level: 'page', isShared: true, at: 'engines', forMs: SETTLE_MS, title: 'Writes to PostgreSQL or Valkey are fenced: other instances use, or may use, another server.', over: 'Writes to PostgreSQL and Valkey are open again.', action: 'Read reasons on /readyz. Let all instances use the same server.', holds: ({ peak }) => peak('prepd_engine_fenced') === 1 },
  instance_lost: { level: 'page', isShared: true, at: 'instances', figure: ({ gauge }) => `${gauge('prepd_engine_instances_lost') ?? 0} are gone.`, forMs: 0, title: 'An instance of this deployment died without stopping.', over: 'All instances of this deployment run.', action: 'Look at its machine and its log, and start it again.', holds: ({ gauge }) => anyLost(gauge('prepd_engine_instances_lost'), gauge('prepd_engine_up')) },
  voucher_refused: { level: 'warn', at: 'vouchers', forMs: 0, title: 'prepd refused a voucher because of its cap, lost vouchers, its chain, the store or the key.', over: null, action: 'Look at the console, at prepd_vouchers_total and at `voucher list`. If the store has every voucher despite a loss, run `voucher adopt --complete`.', command: 'prepd --mode admin voucher list', holds: ({ grew }) => anyGrew(['internal', 'unreadable', 'unkept', 'closed'].map((outcome) => grew('prepd_vouchers_total', outcome))) },
  voucher_signer_away: { level: 'page', isShared: true, at: 'vouchers', degrades: 'voucher_signer', figure: ({ trouble }) => trouble('voucher_signer'), forMs: 0, title: 'A remote signer of vouchers does not sign.', over: 'Vouchers are signed again.', action: 'Look for voucher_signer_away in the log, at that machine, and at the expiry of the certificates.', holds: ({ gauge }) => gauge('prepd_voucher_signer_up') === 0 },
  voucher_cap_near: { level: 'warn', isShared: true, at: 'vouchers', figure: ({ gauge }) => `${Math.round(100 * (gauge('prepd_voucher_cap_used_ratio') ?? 0))} % is in use.`, forMs: 0, title: 'More than 80 % of a cap of vouchers is in use.', over: 'Less than 80 % of every cap of vouchers is in use.', action: 'Look at the caps on the console. Above a cap, vouchers are refused until some have expired.', command: 'prepd --mode admin voucher list', holds: ({ gauge }, margin) => (gauge('prepd_voucher_cap_used_ratio') ?? 0) > CAP_WARN_RATIO * margin },
  refusals_rising: { level: 'warn', at: 'refusals', forMs: 0, title: 'Far more requests are refused than before.', over: 'Requests are refused as seldom as before.', action: 'Look at prepd_refusals_total and prepd_requests_total by code, and at the callers on the console.', command: 'prepd --mode admin limits', holds: ({ rising }, margin) => rising('prepd_refusals_total', margin) },
  records_lost: { level: 'page', isShared: true, at: 'act', degrades: 'store', figure: ({ trouble }) => trouble('store'), forMs: 0, title: 'Records of the store were lost: accounts may only cancel and reduce.', over: 'The lost period is confirmed.', action: 'Read the lost period at /readyz, check freezes, mandates and webhooks, then run `prepd --mode admin loss confirm`.', command: 'prepd --mode admin loss confirm', holds: ({ gauge }) => gauge('prepd_records_lost') === 1 },
  maintenance: { level: 'warn', isShared: true, at: 'act', forMs: 0, title: 'Writes are closed for maintenance.', over: 'Writes are open again.', action: 'End it with `prepd --mode admin maintenance off`.', command: 'prepd --mode admin maintenance off', holds: ({ gauge }) => gauge('prepd_maintenance') === 1 },
  crash_loop: { level: 'page', at: 'state', figure: ({ trouble }) => trouble('process'), forMs: 0, title: 'This process crashes again and again.', over: 'This process has not crashed again.', action: 'Look at the last log lines before each start, and at the log of the system.', holds: ({ trouble }) => trouble('process') !== null },
  proxy_not_trusted: { level: 'warn', at: 'refusals', degrades: 'proxies', forMs: SETTLE_MS, title: 'A proxy that is not in PREPD_TRUSTED_PROXIES forwards requests: its callers share one rate limit.', over: 'No untrusted proxy forwards requests.', action: 'Add its address to PREPD_TRUSTED_PROXIES; proxy_not_trusted in the log has its network.', holds: ({ grew }) => grew('prepd_forwarded_ignored_total', 'private') },
  standby_lapsed: { level: 'page', at: 'state', forMs: 0, title: 'The orders of a silent caller could not be cancelled in time.', over: null, action: 'Look for standby_ended in the log, which says why; the orders may still be open.', holds: ({ grew }) => grew('prepd_standbys_total', 'lapsed') },
  descriptors_exhausted: { level: 'page', at: 'state', degrades: 'descriptors', figure: ({ trouble }) => trouble('descriptors'), forMs: 0, title: 'No file descriptor is free: new connections wait.', over: 'File descriptors are free again.', action: 'Raise LimitNOFILE, or bound connections in the proxy.', holds: ({ trouble }) => trouble('descriptors') !== null },
  internal_errors: { level: 'page', at: 'failures', tile: 'failed', forMs: 0, title: 'Requests failed because of a bug of prepd.', over: null, action: 'Look for crash in the log; its line has the place.', holds: ({ grew }) => anyGrew(INTERNAL_COUNTERS.map((name) => grew(name, 'internal'))) },
  unexpected_errors: { level: 'warn', at: 'state', forMs: 0, title: 'A bug of prepd made a timer or callback fail; it continued.', over: null, action: 'Look for fault in the log; its line has the place.', holds: ({ grew }) => grew('prepd_unexpected_errors_total') },
  requests_failing: { level: 'warn', at: 'failures', tile: 'failed', figure: faultsText, forMs: null, title: 'Requests failed on this side in the last five minutes.', over: null, action: 'Open the code to see its requests, and a request to see its log lines.', holds: ({ lately }) => lately.faults.length > 0 },
  requests_refused: { level: 'warn', at: 'refusals', tile: 'failed', figure: ({ lately }) => `${Math.round(100 * (lately.failedShare ?? 0))} % in the last minute.`, forMs: null, title: 'More than 5 % of requests are refused or fail.', over: null, action: 'Look at the refusals by code, and at the callers in the access lines.', holds: ({ lately }, margin) => above(lately.failedShare, CONSOLE_THRESHOLDS.failedShare * margin) },
  requests_slow: { level: 'warn', at: 'operations', tile: 'slowest', figure: ({ lately }) => `${Math.round(lately.slowestMs ?? 0)} ms.`, forMs: SLOW_FOR_MS, title: 'The slowest 1 % of requests take longer than a second.', over: 'The slowest 1 % of requests take less than a second again.', action: 'Look at the plots and at the most frequent requests.', holds: ({ lately }, margin) => above(lately.slowestMs, CONSOLE_THRESHOLDS.slowestMs * margin) },
  process_busy: { level: 'warn', at: 'charts', tile: 'loop', figure: ({ lately }) => `${Math.round(lately.loopDelayMs ?? 0)} ms.`, forMs: SLOW_FOR_MS, title: 'This process is busy: work waits longer than 100 ms.', over: 'Work waits less than 100 ms again.', action: 'Look at the processor, the disk, and the most frequent requests.', holds: ({ lately }, margin) => above(lately.loopDelayMs, CONSOLE_THRESHOLDS.loopDelayMs * margin) },
  venue_slow: { level: 'warn', at: 'venue', tile: 'venue', figure: ({ lately }) => `${Math.round(lately.venueSlowestMs ?? 0)} ms.`, forMs: null, title: 'The slowest 1 % of calls to the venue in the last hour took longer than three seconds.', over: null, action: 'Compare with the venue’s own status; look at prepd_venue_queued.', holds: ({ lately }, margin) => above(lately.venueSlowestMs, CONSOLE_THRESHOLDS.venueSlowestMs * margin) },
} as const satisfies Record<string, NoticeCondition>

export type ConditionName = keyof typeof NOTICE_CONDITIONS
