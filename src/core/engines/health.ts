import type { Meter } from '../observing/meter.ts'
import { currentRequest, type RequestContext } from '../observing/request-context.ts'

/** The engines that instances share: PostgreSQL for durable state, Valkey for state that may be lost. */
type EngineName = 'postgres' | 'valkey'

/**
 * Why a call to an engine failed.
 * - `breaker`: not sent, because the previous calls timed out.
 * - `fenced`: not sent, because other instances use a different server.
 * - `crowded`: not sent, because all connections of this instance were in use. The engine itself may be well.
 */
export type EngineFault = (typeof ENGINE_FAULTS)[number]

// biome-ignore format: read as a list
const ENGINE_FAULTS = ['unreachable', 'timeout', 'lost', 'refused', 'breaker', 'fenced', 'crowded'] as const

/** A call to an engine that failed or has an unknown outcome. The message contains no data of the call. */
export class EngineAway extends Error {
  override readonly name = 'EngineAway'
  readonly fault: EngineFault
  /** The first word of the engine's error message, such as OOM; '' without an error. */
  readonly word: string
  constructor(fault: EngineFault, word = '') {
    super(`valkey ${fault}`)
    this.fault = fault
    this.word = word
  }
}

/** The health of an engine as this instance sees it. */
export type EngineHealth = {
  readonly name: EngineName
  /** Whether the last call was answered; true before the first. */
  readonly isUp: () => boolean
  /** Why the last call failed; null after a success. */
  readonly fault: () => EngineFault | null
  /** The fault as a sentence for the operator; null without a fault. */
  readonly reason: () => string | null
  /** How far the engine's clock is ahead of this machine's, at the last measurement; null before the first. */
  readonly clockSkewMs: () => number | null
  /** Registers the engine's metrics with a meter. */
  readonly meterWith: (meter: Meter) => void
}

/** An engine's health, with the functions by which calls update it. */
export type EngineHealthRecorder = EngineHealth & {
  readonly answered: (tookMs: number) => void
  readonly failed: (fault: EngineFault, tookMs: number, reason?: string) => void
  /** Counts a call that got no connection; the last fault stays unchanged. */
  readonly crowded: () => void
  readonly clockRead: (skewMs: number) => void
}

/** Creates the health of an engine, before its first call. */
export function createEngineHealth(name: EngineName): EngineHealthRecorder {
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
    crowded: () => metered?.counter('prepd_engine_failures_total', name, 'crowded').add(),
    clockRead: (ms) => {
      skewMs = ms
    },
  }
}

/** The budget of a request for waiting on an engine. Work outside requests always has the full budget. */
type Waits = {
  /** The milliseconds left for the current request; 0 or less if used up. */
  readonly leftMs: () => number
  /** Charges the duration of some work to the current request. */
  readonly counted: <Value>(work: () => Promise<Value>) => Promise<Value>
}

export function createEngineWaits(nowMs: () => number, maxMs: number): Waits {
  const waitedMs = new WeakMap<RequestContext, number>()

  const waited = (request: RequestContext | undefined) => (request && waitedMs.get(request)) ?? 0

  async function counted<Value>(work: () => Promise<Value>): Promise<Value> {
    const request = currentRequest()
    if (!request) return work()
    const startedMs = nowMs()
    try {
      return await work()
    } finally {
      const tookMs = nowMs() - startedMs
      if (tookMs > CHARGED_WAIT_MIN_MS) waitedMs.set(request, waited(request) + tookMs)
    }
  }

  return { leftMs: () => maxMs - waited(currentRequest()), counted }
}

/** Waits below this are not charged to the request. */
const CHARGED_WAIT_MIN_MS = 10
