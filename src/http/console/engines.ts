import type { EngineFigures, FeedFigures } from '../../contract/console/figures.ts'
import { EngineAway, type EngineHealth } from '../../core/engines/health.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { Meter, MetricSample } from '../../core/observing/meter.ts'

/** Figures of the shared engines from their metrics; null for a single instance. */
export function engineFigures(
  engines: readonly EngineHealth[],
  meter: Pick<Meter, 'samples' | 'durations'>,
): readonly EngineFigures[] | null {
  return engines.length === 0 ? null : engines.map((engine) => toEngineFigures(engine, meter))
}

/**
 * Figures about the instance that reads live data for all; null if each instance reads from the venue. Valkey is not
 * called while it is down.
 */
export async function feedFigures(
  leader: (() => Promise<string | null>) | null,
  engines: readonly EngineFigures[],
): Promise<FeedFigures | null> {
  if (!leader) return null
  if (engines.some(({ name, fault }) => name === 'valkey' && fault !== null)) return AWAY
  try {
    return { leader: await leader(), isAway: false }
  } catch (error) {
    reportUnexpected('http', error, EngineAway)
    return AWAY
  }
}

const AWAY: FeedFigures = { leader: null, isAway: true }

function toEngineFigures(
  { name, fault, clockSkewMs }: EngineHealth,
  { samples, durations }: Pick<Meter, 'samples' | 'durations'>,
): EngineFigures {
  const calls = durations('prepd_engine_call_duration_seconds', name)
  const lag = samples('prepd_engine_reconciliation_lag_seconds')[0]
  return {
    name,
    fault: fault(),
    calls: calls?.count() ?? 0,
    p50MaxMs: milliseconds(calls?.within(0.5)),
    p99MaxMs: milliseconds(calls?.within(0.99)),
    faults: samples('prepd_engine_failures_total').flatMap((sample) => faultRows(name, sample)),
    clockSkewMs: clockSkewMs(),
    // Only Valkey has a reconciliation lag, because instances exchange their counted requests through Valkey.
    lagMs: name === 'valkey' ? milliseconds(lag?.value) : null,
  }
}

function faultRows(name: string, { labels: [engine, fault = ''], value: count }: MetricSample) {
  return engine === name && count > 0 ? [{ name: fault, count }] : []
}

function milliseconds(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds * 1000
}
