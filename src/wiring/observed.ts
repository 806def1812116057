import { BUILD } from '../core/build-facts.ts'
import type { EngineHealth } from '../core/engines/health.ts'
import { createMeter, type Meter } from '../core/observing/meter.ts'
import type { Store, Upstream, World } from '../core/ports.ts'
import type { StreamSize } from '../stream/stream.ts'
import { loggedUpstream } from '../upstream/logged.ts'
import { meteredUpstream, readLanes } from '../upstream/metered.ts'
import { readProcess } from './process-readings.ts'
import type { OpenVenue } from './venue.ts'

type Parts = Pick<World, 'log' | 'monotonicMs' | 'lostLines'> & {
  readonly venue: OpenVenue
  readonly store: Pick<Store, 'stats'>
  readonly engines: readonly EngineHealth[]
  readonly startedAtMs: number
}

type Observed = {
  readonly meter: Meter
  /** The venue's, counted and logged. */
  readonly upstream: Upstream
  readonly stopReading: () => void
}

/** What the operator sees of a deployment: a meter that reads the process, the store and the calls to the venue. */
export function observe({
  venue,
  store,
  engines,
  log,
  monotonicMs,
  lostLines,
  startedAtMs,
}: Parts): Observed {
  const meter = createMeter(monotonicMs)
  const { upstream, clock, load, kind } = venue
  if (load) readLanes(meter, load)
  readStore(store, meter)
  for (const engine of engines) engine.meterWith(meter)
  meter.reading('prepd_build_info', () => 1, BUILD.version, kind)
  meter.reading('prepd_log_lines_lost_total', lostLines ?? (() => 0))
  const { elapsedMs } = meter
  return {
    meter,
    upstream: loggedUpstream(meteredUpstream(upstream, { meter, clock }), { log, elapsedMs }),
    stopReading: readProcess(meter, startedAtMs),
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
}

function readStore({ stats }: Pick<Store, 'stats'>, meter: Meter): void {
  meter.reading('prepd_proofs', stats.proofs)
  meter.reading('prepd_claims', stats.claims)
  meter.reading('prepd_store_bytes', stats.bytes)
  meter.reading('prepd_store_wal_bytes', stats.walBytes)
}
