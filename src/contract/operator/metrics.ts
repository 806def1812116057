/** The description of a metric. Label values come from this service's tables: never an account, a path or a key. */
type MetricRow = {
  readonly labels: readonly string[]
  readonly help: string
} & (
  | { readonly type: 'counter' | 'gauge' }
  | { readonly type: 'histogram'; readonly buckets: readonly number[] }
)

/** Histogram buckets in seconds, from 0.5 ms (a cached read) to the deadline of a write. */
const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10, 15]
const VENUE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
const ENGINE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1, 2.5]
const LOOP_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** Every metric of the operator's listener, in the order of output. Names end in their unit. */
// biome-ignore format: one metric a row
export const METRICS = {
  prepd_build_info: { type: 'gauge', labels: ['version', 'venue'], help: 'Always 1. The labels are the version and the venue.' },
  prepd_ready: { type: 'gauge', labels: [], help: '1 if the store accepts records and a live venue answers, checked every 15 seconds. 0 otherwise, and while stopping.' },
  prepd_maintenance: { type: 'gauge', labels: [], help: '1 if the operator has switched writes off, otherwise 0.' },
  prepd_records_lost: { type: 'gauge', labels: [], help: '1 if records of the store were lost and the operator has not confirmed the loss, otherwise 0.' },
  prepd_tls_certificate_end_time_seconds: { type: 'gauge', labels: [], help: 'Expiry of the certificate of the public listener, in seconds since the epoch.' },
  prepd_data_free_bytes: { type: 'gauge', labels: [], help: 'Free space of the disk that holds the data directory.' },
  prepd_backup_failing: { type: 'gauge', labels: [], help: 'Whether the last backup of PREPD_BACKUP failed, 1 or 0.' },
  prepd_backup_drill_time_seconds: { type: 'gauge', labels: [], help: 'Time of the last restore drill of a backup, in seconds since the epoch; 0 before the first.' },
  prepd_backup_time_seconds: { type: 'gauge', labels: [], help: 'Time of the last backup (scheduled, or by the commands backups make and backup), in seconds since the epoch; 0 before the first. After a restore: the time of the restored backup.' },
  prepd_requests_total: { type: 'counter', labels: ['route', 'code', 'status'], help: 'Answers of the public listener. code is ok or the code of the failure.' },
  prepd_request_duration_seconds: { type: 'histogram', labels: ['route', 'code'], buckets: REQUEST_SECONDS, help: 'Time from the head of the request to its answer.' },
  prepd_cache_answers_total: { type: 'counter', labels: ['operation', 'state'], help: 'Answers of cached reads. hit: fresh, from the cache. stale: expired, from the cache. miss: loaded for the call.' },
  prepd_refusals_total: { type: 'counter', labels: ['policy'], help: 'Requests that a rate limit refused.' },
  prepd_forwarded_ignored_total: { type: 'counter', labels: ['network'], help: 'Requests with X-Forwarded-For from an untrusted peer, by its network: private or public.' },
  prepd_rate_windows: { type: 'gauge', labels: [], help: 'Rate-limit states (one per caller or account and limit) in memory.' },
  prepd_venue_call_duration_seconds: { type: 'histogram', labels: ['host', 'lane'], buckets: VENUE_SECONDS, help: 'Duration of calls to the venue, including the wait for a free slot.' },
  prepd_venue_faults_total: { type: 'counter', labels: ['host', 'lane', 'fault'], help: 'Calls to the venue without a usable answer.' },
  prepd_venue_answers_total: { type: 'counter', labels: ['host', 'status', 'code'], help: 'Answers of the venue by HTTP status and its own code. Label values: `none` for an accepted call, `other` for an unlisted code.' },
  prepd_venue_rows_dropped_total: { type: 'counter', labels: ['route'], help: 'Parts of the venue\'s answers that were left out: rows in which a value is missing or of another type, and sentences that contain the venue\'s name.' },
  prepd_venue_changes_total: { type: 'counter', labels: ['operation'], help: 'Fields in sampled answers of the venue that differ from the fields that this release expects: unknown, missing, or of another type or value.' },
  prepd_venue_restarts_total: { type: 'counter', labels: [], help: 'Restarts of the embedded venue\'s thread after an error, or when it did not answer.' },
  prepd_venue_slots_in_use: { type: 'gauge', labels: ['lane'], help: 'Calls to the venue in flight.' },
  prepd_venue_queued: { type: 'gauge', labels: ['lane'], help: 'Calls that wait for a slot.' },
  prepd_venue_clock_skew_seconds: { type: 'gauge', labels: [], help: 'How far the venue\'s clock is ahead of the clock of this machine.' },
  prepd_venue_books_known: { type: 'gauge', labels: [], help: 'Practice on a live market: known live order books, checked every second.' },
  prepd_venue_books_away: { type: 'gauge', labels: [], help: 'Practice on a live market: number of markets halted because prepd does not know their live order book.' },
  prepd_venue_marks_time_seconds: { type: 'gauge', labels: [], help: 'Practice on a live market: time of the last live marks, in seconds since the epoch.' },
  prepd_relayed_writes_total: { type: 'counter', labels: ['outcome'], help: 'Relayed writes by outcome. replayed: a repeat, which was not sent again.' },
  prepd_standbys_total: { type: 'counter', labels: ['state'], help: 'Ended standby deposits: signed cancels that prepd sends if their owner goes silent. State cancelled: the cancels were accepted. State lapsed: the cancels were refused, or could not be sent in time. Withdrawn deposits are not counted.' },
  prepd_mandate_changes_total: { type: 'counter', labels: ['by'], help: 'Changes of mandates by signer. wallet: a new mandate. key: a tightening or a freeze.' },
  prepd_approvals_total: { type: 'counter', labels: ['step'], help: 'Approvals of writes by an account\'s owner: asked, approved, refused, used.' },
  prepd_webhook_messages_total: { type: 'counter', labels: ['step'], help: 'Messages to webhooks of accounts: published, delivered, and failed attempts.' },
  prepd_proofs: { type: 'gauge', labels: [], help: 'Pairs of account and key that the venue has accepted. The count stops at 100,000.' },
  prepd_claims: { type: 'gauge', labels: [], help: 'Claims of writes, by which prepd recognises repeats. The count stops at 100,000.' },
  prepd_store_bytes: { type: 'gauge', labels: [], help: 'Size of the database.' },
  prepd_store_wal_bytes: { type: 'gauge', labels: [], help: 'Size of the database\'s write-ahead log.' },
  prepd_store_sync_seconds: { type: 'gauge', labels: [], help: 'Duration of the last wait for the disk. Each signed write waits for the disk before it is sent.' },
  prepd_engine_up: { type: 'gauge', labels: ['engine'], help: '1 if PostgreSQL (postgres) or Valkey (valkey) answered the last call, otherwise 0.' },
  prepd_engine_instances_lost: { type: 'gauge', labels: [], help: 'Instances of this deployment that died without stopping.' },
  prepd_engine_fenced: { type: 'gauge', labels: ['engine'], help: '1 if this instance refuses to write to PostgreSQL or Valkey, because other instances use, or might use, a different server. Otherwise 0.' },
  prepd_engine_call_duration_seconds: { type: 'histogram', labels: ['engine'], buckets: ENGINE_SECONDS, help: 'Duration of calls to PostgreSQL or Valkey.' },
  prepd_engine_failures_total: { type: 'counter', labels: ['engine', 'fault'], help: 'Calls to PostgreSQL or Valkey without a usable answer. breaker and crowded: the call was not sent.' },
  prepd_engine_clock_skew_seconds: { type: 'gauge', labels: ['engine'], help: 'How far the clock of PostgreSQL or Valkey is ahead of the clock of this machine.' },
  prepd_engine_reasserted_claims_total: { type: 'counter', labels: [], help: 'Claims of writes that this instance restored in a PostgreSQL that had lost them.' },
  prepd_engine_reconciliation_lag_seconds: { type: 'gauge', labels: [], help: 'Age of the oldest admitted request that this instance has not yet added to the rate limits in Valkey.' },
  prepd_housekeeping_duration_seconds: { type: 'histogram', labels: ['task'], buckets: LOOP_SECONDS, help: 'Duration of housekeeping runs. flush: writes rate limits to the store. sweep: deletes expired rows.' },
  prepd_housekeeping_failures_total: { type: 'counter', labels: ['task'], help: 'Housekeeping runs that failed.' },
  prepd_vouchers_total: { type: 'counter', labels: ['outcome'], help: 'Voucher requests by outcome: issued, pending, or the refusal.' },
  prepd_voucher_signer_up: { type: 'gauge', labels: [], help: 'Whether every remote signer of vouchers answered its last check, made every 15 seconds.' },
  prepd_voucher_cap_used_ratio: { type: 'gauge', labels: [], help: 'Used share of the most used cap of vouchers, read every 15 seconds.' },
  prepd_swap_calls_total: { type: 'counter', labels: ['verb', 'code'], help: 'Swap calls. code is ok or the code of the failure.' },
  prepd_mcp_calls_total: { type: 'counter', labels: ['tool', 'code'], help: 'Tool calls over HTTP. code is ok or the code of the failure.' },
  prepd_event_loop_delay_seconds: { type: 'histogram', labels: [], buckets: LOOP_SECONDS, help: 'Delay of a timer that should fire every half second.' },
  prepd_log_lines_lost_total: { type: 'counter', labels: [], help: 'Log lines that were dropped because the reader of stderr was too slow.' },
  prepd_trace_spans_total: { type: 'counter', labels: ['outcome'], help: 'Spans by outcome: exported, failed at the collector, dropped from a full queue.' },
  prepd_stream_connections: { type: 'gauge', labels: ['transport'], help: 'Open connections of live data.' },
  prepd_stream_topics: { type: 'gauge', labels: [], help: 'Topics of live data with subscribers.' },
  prepd_stream_subscriptions: { type: 'gauge', labels: [], help: 'Subscriptions to topics, counted per connection.' },
  prepd_venue_subscriptions: { type: 'gauge', labels: ['kind'], help: 'Subscriptions to the venue\'s live data: topics, and accounts.' },
  prepd_engine_feed: { type: 'gauge', labels: ['role'], help: '1 for the role of this instance in the shared subscription to public live data: leads, follows, or alone (Valkey is unreachable).' },
  prepd_stream_rows_dropped_total: { type: 'counter', labels: ['topic'], help: 'Rows of the venue\'s live messages that were left out because they are malformed.' },
  prepd_stream_resets_total: { type: 'counter', labels: ['topic', 'cause'], help: 'Topics that restarted while the venue was connected: cause is gap, malformed, or unexpected (a bug of prepd).' },
  prepd_venue_malformed_messages_total: { type: 'counter', labels: [], help: 'Unreadable live messages of the venue.' },
  prepd_unexpected_errors_total: { type: 'counter', labels: ['part'], help: 'Unexpected errors in a timer or callback, by part. The part continued. The log has the event fault.' },
  prepd_descriptor_shortages_total: { type: 'counter', labels: [], help: 'Number of times that only the reserved file descriptor was free.' },
  process_start_time_seconds: { type: 'gauge', labels: [], help: 'Start of this process, in seconds since the epoch.' },
  process_resident_memory_bytes: { type: 'gauge', labels: [], help: 'Resident memory.' },
  process_cpu_seconds_total: { type: 'counter', labels: [], help: 'Processor time used, user and system.' },
  process_open_fds: { type: 'gauge', labels: [], help: 'Open file descriptors, if the system reports them.' },
  process_max_fds: { type: 'gauge', labels: [], help: 'Maximum number of file descriptors of this process, if the system reports it.' },
} as const satisfies Record<string, MetricRow>

export type MetricName = keyof typeof METRICS

/** The names of one type of metric. */
export type MetricsOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never
}[MetricName]

type Values<Labels extends readonly string[]> = { readonly [At in keyof Labels]: string }

/** One value for each label of a metric, in the order of the labels. */
export type LabelsOf<Name extends MetricName> = Values<(typeof METRICS)[Name]['labels']>

/** Maximum number of series per metric. Further series are counted under `other`. */
export const METRIC_SERIES_MAX = 1000
