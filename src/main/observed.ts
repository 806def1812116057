import type { FeedRole } from '../cluster/live/cluster.ts'
import type { InstanceRow, VenueChange } from '../contract/console/figures.ts'
import { POLICIES } from '../contract/limits.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { DRILL_MARK_FILE } from '../contract/operator/backup.ts'
import { type LabelsOf, METRICS, type MetricsOf } from '../contract/operator/metrics.ts'
import { BACKUP_MARK_FILE, SPAN_OUTCOMES } from '../contract/operator/process.ts'
import { ROUTES, type Route } from '../contract/routes.ts'
import { RESET_CAUSES, STREAMS } from '../contract/stream/topics.ts'
import type { LiveBooks } from '../contract/venue/paper.ts'
import { VOUCHER_REFUSALS } from '../contract/voucher.ts'
import { BUILD_FACTS } from '../core/build-facts.ts'
import type { EngineHealth } from '../core/engines/health.ts'
import { createMeter, type Meter } from '../core/observing/meter.ts'
import { type Store, UPSTREAM_FAULTS, type Upstream, type World } from '../core/ports.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { TrafficStore } from '../core/traffic.ts'
import type { Controls } from '../gateway/controls/controls.ts'
import { TYPED_ROUTES } from '../gateway/market/typed-rows.ts'
import { WRITE_OUTCOMES } from '../gateway/metered.ts'
import { PROSE } from '../gateway/scrub/scrub.ts'
import { keepInstanceRegistry } from '../http/console/instance-registry.ts'
import { createRecorder, type Recorder, startSampler } from '../http/console/recorder.ts'
import { keepTraffic } from '../http/console/traffic.ts'
import { lastMinuteFigures } from '../http/console/verdict.ts'
import { ROUTE_NAMES } from '../http/server/requests.ts'
import type { StreamSize } from '../live/stream.ts'
import { createJudge, type Judge, type UnknownWrites } from '../operator/notify/judge.ts'
import { observedUpstream, readLanes } from '../upstream/observed-upstream.ts'
import { createShapeWatch, WATCHED } from '../upstream/shape-watch.ts'
import { freeBytes, markSeconds, readProcess } from './process-readings.ts'
import { instanceName } from './store.ts'
import { openTracing, type Tracing } from './tracing.ts'
import type { OpenVenue } from './venue-port.ts'

type ObservedServices = {
  readonly venue: OpenVenue
  readonly store: Pick<Store, 'stats' | 'traffic'>
  readonly engines: readonly EngineHealth[]
  readonly unknownWrites: Pick<UnknownWrites, 'newest'>
}

/** The observation of a deployment: metrics, traces and the console's figures. */
export type Observed = {
  readonly meter: Meter
  /** Counts requests and venue calls for the operator's console. */
  readonly recorder: Recorder
  /** This instance's name, unique among the instances that share the store. */
  readonly instance: string
  /** Judges the state of the deployment. */
  readonly judge: Judge
  /** The venue's upstream, with counting, timing, logging and tracing. */
  readonly upstream: Upstream
  /** Adds tracing to a front, if the settings enable it. */
  readonly traced: Tracing['front']
  /** Differences between a live venue's answers and the known shapes. */
  readonly venueChanges: () => readonly VenueChange[]
  readonly stopObserving: () => Promise<void>
}

/** Metrics and traces of a deployment: a meter of process, store and calls to the venue, and a tracer. */
export async function observeAll(
  settings: Settings,
  world: World,
  { venue, store, engines, unknownWrites }: ObservedServices,
): Promise<Observed> {
  const { log, monotonicMs, lostLines } = world
  const meter = createMeter(monotonicMs)
  startSeries(meter)
  const { upstream, clock, load, kind } = venue
  if (load) readLanes(meter, load)
  readStore(store, meter)
  for (const engine of engines) engine.meterWith(meter)
  meter.reading('prepd_build_info', () => 1, BUILD_FACTS.version, kind)
  meter.reading('prepd_venue_restarts_total', venue.restarts)
  meter.reading('prepd_log_lines_lost_total', lostLines ?? (() => 0))
  readBooks(meter, venue)
  const recorder = createRecorder(world.clock)
  const nowMs = world.clock.nowMs
  const lately = () => lastMinuteFigures(recorder, nowMs())
  const judge = createJudge({ meter, venue: kind, lately, unknownWrites: unknownWrites.newest })
  const stopSampler = startSampler(recorder, { nowMs: monotonicMs }, () =>
    judge.look(nowMs(), null),
  )
  const { instance, stopTraffic } = openTraffic(settings, world, { store, recorder, meter })
  const tracing = await openTracing(settings, world, meter)
  const watch = kind === 'live' ? createShapeWatch({ meter, clock: world.clock, log }) : null
  const { isShortOfDescriptors, stop } = readProcess(meter, log, nowMs())
  judge.explain('descriptors', () => (isShortOfDescriptors() ? SHORT_OF_DESCRIPTORS : null))
  return {
    meter,
    ...{ recorder, instance, judge },
    upstream: observedUpstream(upstream, { meter, clock, log, called: recorder.called, watch }),
    venueChanges: watch?.changes ?? (() => []),
    traced: tracing.front,
    stopObserving: async () => {
      stopSampler()
      stop()
      await stopTraffic()
      await tracing.close()
    },
  }
}

const SHORT_OF_DESCRIPTORS =
  'Every file descriptor is in use: new connections wait. The log names the busiest network; raise LimitNOFILE, or bound connections in the proxy.'

/** Adds readings of live connections and subscriptions; 0 before the first subscriber. */
export function readStream(
  meter: Meter,
  { size, role }: { readonly size: () => StreamSize | null; readonly role: () => FeedRole | null },
): void {
  for (const each of ['leads', 'follows', 'alone'] as const)
    meter.reading(
      'prepd_engine_feed',
      () => (role() === null ? null : Number(role() === each)),
      each,
    )
  meter.reading('prepd_stream_connections', () => size()?.socket ?? 0, 'socket')
  meter.reading('prepd_stream_connections', () => size()?.events ?? 0, 'events')
  meter.reading('prepd_stream_topics', () => size()?.topics ?? 0)
  meter.reading('prepd_stream_subscriptions', () => size()?.subscriptions ?? 0)
  meter.reading('prepd_venue_subscriptions', () => size()?.venue.topics ?? 0, 'topic')
  meter.reading('prepd_venue_subscriptions', () => size()?.venue.accounts ?? 0, 'account')
  meter.reading('prepd_venue_malformed_messages_total', () => size()?.venue.malformed ?? 0)
}

type State = {
  /** The store's file, or `:memory:`. */
  readonly path: string
  readonly controls: Pick<Controls, 'shown'>
  readonly certificateEndMs: () => number | null
}

/** Adds readings of maintenance, lost records, the certificate's expiry, free disk space and the last backup. */
export function readState(
  meter: Meter,
  { dataDir, engines }: Settings,
  { path, controls, certificateEndMs }: State,
): void {
  meter.reading('prepd_maintenance', () => Number(controls.shown().maintenance !== null))
  meter.reading('prepd_records_lost', () => Number(controls.shown().loss !== null))
  meter.reading('prepd_tls_certificate_end_time_seconds', () => {
    const endMs = certificateEndMs()
    return endMs === null ? null : endMs / 1000
  })
  if (path === ':memory:') return
  meter.reading('prepd_data_free_bytes', () => freeBytes(dataDir))
  // Skips the readings of backups, because PostgreSQL and Valkey have their own backup tools.
  if (engines) return
  meter.reading('prepd_backup_time_seconds', () => markSeconds(dataDir, BACKUP_MARK_FILE))
  meter.reading('prepd_backup_drill_time_seconds', () => markSeconds(dataDir, DRILL_MARK_FILE))
}

/** Adds readings of the live books that practice trading uses. */
function readBooks(meter: Meter, { books }: Pick<OpenVenue, 'books'>): void {
  const reading = (name: MetricsOf<'gauge'>, of: (books: LiveBooks) => number | null) =>
    meter.reading(name, () => {
      const found = books()
      return found && of(found)
    })
  reading('prepd_venue_books_known', ({ known }) => known)
  reading('prepd_venue_books_away', ({ markets, known }) => markets - known)
  reading('prepd_venue_marks_time_seconds', ({ marksAtMs }) => marksAtMs && marksAtMs / 1000)
}

function readStore({ stats }: Pick<Store, 'stats'>, meter: Meter): void {
  meter.reading('prepd_proofs', stats.proofs)
  meter.reading('prepd_claims', stats.claims)
  meter.reading('prepd_store_bytes', stats.bytes)
  meter.reading('prepd_store_wal_bytes', stats.walBytes)
  meter.reading('prepd_store_sync_seconds', () => {
    const tookMs = stats.syncMs()
    return tookMs === null ? null : tookMs / 1000
  })
}

const HOSTS = ['main', 'vaults'] as const
const LANES = ['read', 'write'] as const
const CACHE_STATES = ['hit', 'stale', 'miss'] as const
const SWAP_VERBS = ['quote', 'tokens', 'chains', 'status'] as const

const CACHED = new Set([
  ...Object.values<Route>(ROUTES).flatMap(({ cacheKey }) => cacheKey ?? []),
  ...Object.entries(OPERATIONS).flatMap(([id, { freshSeconds }]) => (freshSeconds > 0 ? [id] : [])),
])

/**
 * The label values with which each counter starts at 0, because Prometheus sees no increase in a series that begins at
 * 1. Of failure codes, only those in alert rules are listed. Empty for counters that are started elsewhere or whose
 * labels are unknown at the start.
 */
const INITIAL_SERIES: { readonly [Name in MetricsOf<'counter'>]: readonly LabelsOf<Name>[] } = {
  prepd_requests_total: [...ROUTE_NAMES].map((route) => [route, 'internal', '500']),
  prepd_cache_answers_total: [...CACHED].flatMap((operation) =>
    CACHE_STATES.map((state) => [operation, state] as const),
  ),
  prepd_forwarded_ignored_total: [['private'], ['public']],
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
  prepd_venue_rows_dropped_total: [...TYPED_ROUTES, ...PROSE].map((route) => [route]),
  prepd_venue_changes_total: WATCHED.map((operation) => [operation]),
  prepd_relayed_writes_total: WRITE_OUTCOMES.map((outcome) => [outcome]),
  prepd_standbys_total: [['cancelled'], ['lapsed']],
  prepd_mandate_changes_total: [['wallet'], ['key']],
  prepd_approvals_total: [['asked'], ['approved'], ['refused'], ['used']],
  prepd_webhook_messages_total: [['published'], ['delivered'], ['failed']],
  prepd_engine_failures_total: [],
  prepd_engine_reasserted_claims_total: [],
  prepd_housekeeping_failures_total: [['flush'], ['sweep'], ['traffic']],
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
  prepd_venue_restarts_total: [],
  prepd_unexpected_errors_total: [],
  prepd_descriptor_shortages_total: [[]],
  process_cpu_seconds_total: [],
}

/**
 * Creates the initial series of counters at 0, and the duration series of venue calls. An alert rule compares the
 * counter of venue faults with the duration series.
 */
function startSeries(meter: Meter): void {
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

type TrafficSources = {
  readonly store: { readonly traffic: TrafficStore }
  readonly recorder: Recorder
  readonly meter: Meter
}

type OpenTraffic = {
  /** This instance's name, unique among the instances that share the store. */
  readonly instance: string
  readonly stopTraffic: () => Promise<void>
}

/** Stores this instance's traffic each minute for the console. */
function openTraffic(
  settings: Settings,
  { clock, monotonicMs, log }: World,
  { store, recorder, meter }: TrafficSources,
): OpenTraffic {
  const { opsListen, engines } = settings
  const instance = instanceName(settings)
  if (!opsListen && !engines) return { instance, stopTraffic: async () => undefined }
  const sinceMs = clock.nowMs()
  const readiness = () => meter.samples('prepd_ready')[0]?.value
  const own = (): InstanceRow => ({
    ...{ name: instance, version: BUILD_FACTS.version, sinceMs, seenMs: clock.nowMs() },
    isReady: readiness() === undefined ? null : readiness() === 1,
  })
  const traffic = keepTraffic({
    ...{ store: store.traffic, recorder, monotonicMs, instance: own },
    failed: () => {
      meter.counter('prepd_housekeeping_failures_total', 'traffic').add()
      log.error('housekeeping_failed', { what: 'traffic' })
    },
  })
  if (!engines) return { instance, stopTraffic: traffic.stop }
  const registry = keepInstanceRegistry({ store: store.traffic, monotonicMs, instance: own })
  meter.reading('prepd_engine_instances_lost', registry.lost)
  const stopTraffic = async () => {
    await registry.stop()
    await traffic.stop()
  }
  return { instance, stopTraffic }
}
