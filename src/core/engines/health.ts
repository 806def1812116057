import type { Meter } from '../observing/meter.ts'
import { currentRequest, type RequestContext } from '../observing/request-context.ts'

/** The engines that instances share: PostgreSQL keeps what must not be forgotten, Valkey what may be. */
type EngineName = 'postgres' | 'valkey'

/**
 * Why a call to an engine failed. `breaker` is a call that was not made: the ones before it got no answer. `fenced` is one
 * that was not made because other instances use another server.
 */
export type EngineFault = (typeof ENGINE_FAULTS)[number]

// biome-ignore format: read as a list
const ENGINE_FAULTS = ['unreachable', 'timeout', 'lost', 'refused', 'breaker', 'fenced'] as const

/** An engine did not do what it was asked, or nobody knows whether it did. The message has nothing of what was asked. */
export class EngineAway extends Error {
  override readonly name = 'EngineAway'
  readonly fault: EngineFault
  /** The first word of the engine's own error, such as OOM; '' where it has none. */
  readonly word: string
  constructor(fault: EngineFault, word = '') {
    super(`valkey ${fault}`)
    this.fault = fault
    this.word = word
  }
}

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

/** The same, fed by the calls to the engine. */
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

/** What a look at an engine saw, and what to do about it where something is to be done. */
export type EngineFinding = {
  readonly state: 'ok' | 'warn' | 'fail'
  readonly seen: string
  readonly remedy?: string
}

/** What each request may still wait for an engine; what no request asked for has all of it each time. */
type Waits = {
  /** Milliseconds left to the request that the running code works for: 0 or less when it has waited for long enough. */
  readonly leftMs: () => number
  /** Counts the milliseconds until the work has settled. */
  readonly counted: <Value>(work: () => Promise<Value>) => Promise<Value>
}

export function createWaits(nowMs: () => number, maxMs: number): Waits {
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
      if (tookMs > NOTED_MS) waitedMs.set(request, waited(request) + tookMs)
    }
  }

  return { leftMs: () => maxMs - waited(currentRequest()), counted }
}

/** Shorter waits are not worth adding up. */
const NOTED_MS = 10

/** Which history of commits a database continues, and how far that history is known to go. */
export type DatabaseState = {
  /** What the instances of one deployment have in common: the database's own id, the venue and the broker. */
  readonly deployment: string
  /** The cluster, by the identifier that it was made with. */
  readonly cluster: string
  /** The timeline of that cluster, which rises whenever a standby is promoted. */
  readonly timeline: number
} & DatabaseMarks

/** The highest numbers that are known to be committed. */
export type DatabaseMarks = {
  readonly claims: number
  readonly vouchers: number
  /** The highest timestamp of a claim, which may lie ahead of the time, in milliseconds since the epoch; 0 where unknown. */
  readonly signedMs: number
}

/** Why a database must not be written to. */
export type FenceReason = 'timeline' | 'cluster' | 'deployment' | 'unconfirmed'

/** How the database of one instance compares with that of its peers. */
export type DatabaseVerdict =
  | { readonly refused: Exclude<FenceReason, 'unconfirmed'> }
  | {
      readonly refused: null
      /** The highest marks that any instance knows. */
      readonly marks: DatabaseMarks
      /** How long peers may still write to the timeline before this one, in milliseconds. */
      readonly predecessorLeftMs: number
    }

/** What all instances remember of their database, outside of it. */
export type DatabaseRegistry = {
  /** Adds what this instance knows, unless its peers are ahead. Throws where the registry cannot be asked. */
  readonly exchange: (state: DatabaseState) => Promise<DatabaseVerdict>
}

/** How long a database counts as confirmed, in milliseconds: peers wait as long before they write to its successor. */
export const CONFIRMED_MS = 5000

/** How long a deployment is remembered after its last confirmation, in milliseconds: longer than any claim lives. */
export const DEPLOYMENT_KEPT_MS = 600_000
