import type { Meter } from '../../core/observing/meter.ts'
import { UPSTREAM_FAULTS } from '../../core/ports.ts'
import { TYPED_ROUTES } from '../../gateway/market/typed-rows.ts'
import { WRITE_OUTCOMES } from '../../gateway/metered.ts'
import { ROUTE_NAMES } from '../../routes/http/requests.ts'
import { POLICIES } from '../../spec/limits.ts'
import { OPERATIONS } from '../../spec/operations.ts'
import { type LabelsOf, METRICS, type MetricsOf } from '../../spec/operator/metrics.ts'
import { SPAN_OUTCOMES } from '../../spec/operator/tracing.ts'
import { ROUTES, type Route } from '../../spec/routes.ts'
import { RESET_CAUSES, STREAMS } from '../../spec/stream/topics.ts'
import { VOUCHER_REFUSALS } from '../../spec/voucher.ts'

const HOSTS = ['main', 'vaults'] as const
const LANES = ['read', 'write'] as const
const CACHE_STATES = ['hit', 'stale', 'miss'] as const
const SWAP_VERBS = ['quote', 'tokens', 'chains', 'status'] as const

const CACHED = new Set([
  ...Object.values<Route>(ROUTES).flatMap(({ cacheKey }) => cacheKey ?? []),
  ...Object.entries(OPERATIONS).flatMap(([id, { freshSeconds }]) => (freshSeconds > 0 ? [id] : [])),
])

/**
 * The label values that each counter has from the start, at 0: Prometheus sees no increase in a series that begins at 1.
 * Where failures are a label, `internal` alone is there, and the codes of the venue that a rule watches. Empty for
 * counters that are readings, that an engine starts, or that name a tool.
 */
const INITIAL_SERIES: { readonly [Name in MetricsOf<'counter'>]: readonly LabelsOf<Name>[] } = {
  prepd_requests_total: [...ROUTE_NAMES].map((route) => [route, 'internal', '500']),
  prepd_cache_answers_total: [...CACHED].flatMap((operation) =>
    CACHE_STATES.map((state) => [operation, state] as const),
  ),
  prepd_refusals_total: Object.keys(POLICIES).map((policy) => [policy]),
  prepd_venue_faults_total: HOSTS.flatMap((host) =>
    LANES.flatMap((lane) =>
      [...UPSTREAM_FAULTS, 'unexpected'].map((fault) => [host, lane, fault] as const),
    ),
  ),
  prepd_venue_answers_total: HOSTS.flatMap((host) => [
    [host, '200', 'none'] as const,
    ...['none', '-1003', 'other'].map((code) => [host, '429', code] as const),
  ]),
  prepd_venue_rows_dropped_total: TYPED_ROUTES.map((route) => [route]),
  prepd_relayed_writes_total: WRITE_OUTCOMES.map((outcome) => [outcome]),
  prepd_engine_failures_total: [],
  prepd_engine_reasserted_claims_total: [],
  prepd_housekeeping_failures_total: [['flush'], ['sweep']],
  prepd_vouchers_total: [
    ...['issued', 'pending', 'internal'],
    ...Object.keys(VOUCHER_REFUSALS),
  ].map((outcome) => [outcome]),
  prepd_swap_calls_total: SWAP_VERBS.flatMap((verb) => [
    [verb, 'ok'] as const,
    [verb, 'internal'] as const,
  ]),
  prepd_mcp_calls_total: [],
  prepd_log_lines_lost_total: [],
  prepd_trace_spans_total: SPAN_OUTCOMES.map((outcome) => [outcome]),
  prepd_stream_rows_dropped_total: Object.keys(STREAMS).map((topic) => [topic]),
  prepd_stream_resets_total: Object.keys(STREAMS).flatMap((topic) =>
    RESET_CAUSES.map((cause) => [topic, cause] as const),
  ),
  prepd_venue_malformed_messages_total: [],
  prepd_unexpected_errors_total: [],
  prepd_descriptor_shortages_total: [[]],
  process_cpu_seconds_total: [],
}

/** Makes the series whose label values are known at 0, and those of the durations that a rule compares with them. */
export function startSeries(meter: Meter): void {
  for (const name of Object.keys(METRICS)) if (isCounter(name)) startCounter(meter, name)
  for (const host of HOSTS)
    for (const lane of LANES) meter.histogram('prepd_venue_call_duration_seconds', host, lane)
}

function startCounter<Name extends MetricsOf<'counter'>>(meter: Meter, name: Name): void {
  for (const labels of INITIAL_SERIES[name]) meter.counter(name, ...labels)
}

function isCounter(name: string): name is MetricsOf<'counter'> {
  return Object.hasOwn(INITIAL_SERIES, name)
}
