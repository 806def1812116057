import type { Meter } from '../observing/meter.ts'

/** The engines that instances share: PostgreSQL keeps what must not be forgotten, Valkey what may be. */
export type EngineName = 'postgres' | 'valkey'

/**
 * Why a call to an engine failed. `breaker` is a call that was not made: the ones before it got no answer. `fenced` is one
 * that was not made because other instances use another server.
 */
export type EngineFault = (typeof ENGINE_FAULTS)[number]

// biome-ignore format: read as a list
const ENGINE_FAULTS = ['unreachable', 'timeout', 'lost', 'refused', 'breaker', 'fenced'] as const

/** How an engine does, as this instance sees it. */
export type EngineHealth = {
  readonly name: EngineName
  /** Whether the last call was answered; true before the first. */
  readonly isUp: () => boolean
  /** Why the last call was not; null where it was. */
  readonly fault: () => EngineFault | null
  /** What the operator is to know of that, as a sentence; null where there is nothing. */
  readonly reason: () => string | null
  /** How far the engine's clock was ahead of this machine's when it was last asked; null before. */
  readonly clockSkewMs: () => number | null
  /** Shows its figures from now on. */
  readonly meterWith: (meter: Meter) => void
}

/** The same, with what whoever calls the engine tells it. */
export type EnginePulse = EngineHealth & {
  readonly answered: (tookMs: number) => void
  readonly failed: (fault: EngineFault, tookMs: number, reason?: string) => void
  readonly clockRead: (skewMs: number) => void
}

/** An engine of which nothing is known yet. */
export function createPulse(name: EngineName): EnginePulse {
  let last: EngineFault | null = null
  let lastReason: string | null = null
  let skewMs: number | null = null
  let metered: Meter | null = null

  function took(ms: number): void {
    metered?.histogram('prepd_engine_call_duration_seconds', name).observe(ms / 1000)
  }

  return {
    name,
    isUp: () => last === null,
    fault: () => last,
    reason: () => lastReason,
    clockSkewMs: () => skewMs,
    meterWith: (meter) => {
      metered = meter
      for (const fault of ENGINE_FAULTS) meter.counter('prepd_engine_failures_total', name, fault)
      meter.reading('prepd_engine_up', () => Number(last === null), name)
      meter.reading('prepd_engine_fenced', () => Number(last === 'fenced'), name)
      meter.reading(
        'prepd_engine_clock_skew_seconds',
        () => (skewMs === null ? null : skewMs / 1000),
        name,
      )
    },
    answered: (ms) => {
      last = null
      lastReason = null
      took(ms)
    },
    failed: (fault, ms, reason) => {
      last = fault
      lastReason = reason ?? null
      metered?.counter('prepd_engine_failures_total', name, fault).add()
      if (fault !== 'breaker') took(ms)
    },
    clockRead: (ms) => {
      skewMs = ms
    },
  }
}
