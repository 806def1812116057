import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { Clock } from '../../core/ports.ts'
import type { LimiterOptions } from '../../gateway/limits/limiter.ts'
import { createSharedWindows, type SharedWindows, type WindowEngine } from './shared.ts'

/** An engine in which instances count, and a time of this process that never steps back, in milliseconds. */
type CountingEngine = { readonly windows: WindowEngine; readonly monotonicMs: () => number }

/** The windows of one of several instances, with their lag as a reading of a meter. */
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

/** Windows of all instances are kept by the engine that counts them, rather than in the store. */
const NOT_WRITTEN: LimiterOptions['store'] = { load: () => [], save: () => undefined }

function steadyClock({ nowMs }: Clock, monotonicMs: () => number): Clock {
  const startMs = nowMs() - monotonicMs()
  return { nowMs: () => startMs + monotonicMs() }
}
