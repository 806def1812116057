import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { Clock } from '../../core/ports.ts'
import type { LimiterOptions } from '../../gateway/limits/limiter.ts'
import { createSharedWindows, type SharedWindows, type WindowEngine } from './shared.ts'

/**
 * `windows`: the engine (Valkey) in which all instances count requests. `monotonicMs`: this process's monotonic clock.
 */
type CountingEngine = { readonly windows: WindowEngine; readonly monotonicMs: () => number }

/** Opens the rate windows of one of several instances. The meter reports their lag. */
export function openSharedWindows(
  { windows: engine, monotonicMs }: CountingEngine,
  parts: LimiterOptions,
  meter: Meter,
): SharedWindows {
  const windows = createSharedWindows({
    ...parts,
    clock: steadyClock(parts.clock, monotonicMs),
    store: NOT_WRITTEN,
    engine,
    pushKeysMax: VALKEY_LIMITS.reconcileKeysMax,
    heldKeysMax: VALKEY_LIMITS.reconcileHeldMax,
  })
  meter.reading('prepd_engine_reconciliation_lag_seconds', () => windows.lagMs() / 1000)
  return windows
}

/** The engine keeps the windows of all instances, so the store keeps no copy. */
const NOT_WRITTEN: LimiterOptions['store'] = { load: () => [], save: () => undefined }

function steadyClock({ nowMs }: Clock, monotonicMs: () => number): Clock {
  const startMs = nowMs() - monotonicMs()
  return { nowMs: () => startMs + monotonicMs() }
}
