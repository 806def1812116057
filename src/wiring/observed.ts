import { BUILD } from '../core/build-facts.ts'
import type { EngineHealth } from '../core/engines/health.ts'
import { createMeter, type Meter } from '../core/observing/meter.ts'
import type { Store, Upstream, World } from '../core/ports.ts'
import type { Controls } from '../gateway/controls/controls.ts'
import type { Settings } from '../settings/settings.ts'
import type { StreamSize } from '../stream/stream.ts'
import { loggedUpstream } from '../upstream/logged.ts'
import { meteredUpstream, readLanes } from '../upstream/metered.ts'
import { backupSeconds, freeBytes } from './observing/disk-readings.ts'
import { startSeries } from './observing/initial-series.ts'
import { type ProcessWatch, readProcess } from './process-readings.ts'
import { openTracing, type Tracing } from './tracing/open.ts'
import type { OpenVenue } from './venue/port.ts'

type Parts = {
  readonly venue: OpenVenue
  readonly store: Pick<Store, 'stats'>
  readonly engines: readonly EngineHealth[]
}

type Observed = {
  readonly meter: Meter
  /** The venue's, counted, logged and traced. */
  readonly upstream: Upstream
  /** A front whose requests are traced, where the settings want that. */
  readonly traced: Tracing['front']
  readonly isShortOfDescriptors: ProcessWatch['isShortOfDescriptors']
  readonly stopObserving: () => Promise<void>
}

/** What the operator sees of a deployment: a meter that reads process, store and calls to the venue; and traces. */
export async function observe(
  settings: Settings,
  world: World,
  { venue, store, engines }: Parts,
): Promise<Observed> {
  const { log, monotonicMs, lostLines } = world
  const meter = createMeter(monotonicMs)
  startSeries(meter)
  const { upstream, clock, load, kind } = venue
  if (load) readLanes(meter, load)
  readStore(store, meter)
  for (const engine of engines) engine.meterWith(meter)
  meter.reading('prepd_build_info', () => 1, BUILD.version, kind)
  meter.reading('prepd_log_lines_lost_total', lostLines ?? (() => 0))
  const { elapsedMs } = meter
  const tracing = await openTracing(settings, world, meter)
  const { isShortOfDescriptors, stop } = readProcess(meter, log, world.clock.nowMs())
  return {
    meter,
    upstream: tracing.upstream(
      loggedUpstream(meteredUpstream(upstream, { meter, clock }), { log, elapsedMs }),
    ),
    traced: tracing.front,
    isShortOfDescriptors,
    stopObserving: () => {
      stop()
      return tracing.close()
    },
  }
}

/** Shows who listens to live data; nobody before the first has asked. */
export function readStream(meter: Meter, size: () => StreamSize | null): void {
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

/** Shows what an operator has to attend to: closed writes, the end of the certificate, free disk, the last backup. */
export function readState(
  meter: Meter,
  { dataDir, engines }: Settings,
  { path, controls, certificateEndMs }: State,
): void {
  meter.reading('prepd_maintenance', () => Number(controls.shown().maintenance !== null))
  meter.reading('prepd_tls_certificate_end_time_seconds', () => {
    const endMs = certificateEndMs()
    return endMs === null ? null : endMs / 1000
  })
  if (path === ':memory:') return
  meter.reading('prepd_data_free_bytes', () => freeBytes(dataDir))
  // What instances share is backed up by tools of its own.
  if (!engines) meter.reading('prepd_backup_time_seconds', () => backupSeconds(dataDir))
}

function readStore({ stats }: Pick<Store, 'stats'>, meter: Meter): void {
  meter.reading('prepd_proofs', stats.proofs)
  meter.reading('prepd_claims', stats.claims)
  meter.reading('prepd_store_bytes', stats.bytes)
  meter.reading('prepd_store_wal_bytes', stats.walBytes)
}
