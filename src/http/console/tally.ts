import type {
  Latency,
  Minute,
  NamedCount,
  OperationFigures,
  Sample,
} from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { MINUTE_MS } from '../../contract/durations.ts'
import { REQUEST_ID_HEADER } from '../../contract/headers.ts'
import { bucketIndex, quantileBound, totalCount } from '../../core/observing/histogram.ts'
import type { Clock } from '../../core/ports.ts'
import { responseCode } from '../server/responses.ts'

/** One answer of the public listener, as the console counts it. */
export type PublicAnswer = {
  readonly operation: string
  /** The failure's code; null for a success. */
  readonly code: string | null
  readonly tookMs: number
  readonly cache: 'hit' | 'stale' | 'miss' | null
  /** The rate policy that refused the request; null if every policy admitted it. */
  readonly refusedBy: string | null
  /** Null for an answer from memory that skipped the router. */
  readonly requestId: string | null
}

type Operation = {
  readonly minutes: Minutes
  total: number
  failed: number
  hits: number
  stale: number
  misses: number
}

const CACHE_COUNTERS = { hit: 'hits', stale: 'stale', miss: 'misses' } as const

/** Counts answers per operation. */
export type OperationTally = {
  readonly add: (answer: PublicAnswer, nowMs: number) => void
  readonly figures: (nowMs: number) => OperationFigures[]
}

export function createOperationTally(): OperationTally {
  const operations = new Map<string, Operation>()
  return {
    add: ({ operation: name, code, tookMs, cache }, nowMs) => {
      const operation = operations.get(name) ?? newOperation()
      if (operation.total === 0) operations.set(name, operation)
      operation.total += 1
      if (code !== null) operation.failed += 1
      if (cache) operation[CACHE_COUNTERS[cache]] += 1
      operation.minutes.add(tookMs, nowMs)
    },
    figures: (nowMs) =>
      Array.from(operations, ([name, { minutes, ...counts }]) => ({
        name,
        ...counts,
        ...minutes.latency(nowMs),
      })),
  }
}

function newOperation(): Operation {
  return { minutes: createMinutes(), total: 0, failed: 0, hits: 0, stale: 0, misses: 0 }
}

/** Counts per name. */
export type Tally = { readonly bump: (name: string) => void; readonly counts: () => NamedCount[] }

export function createTally(): Tally {
  const counts = new Map<string, number>()
  return {
    bump: (name) => {
      counts.set(name, (counts.get(name) ?? 0) + 1)
    },
    counts: () =>
      Array.from(counts, ([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count),
  }
}

/** An answer as the console counts it. A null response means a hot read. */
export function toPublicAnswer(
  operation: string,
  response: Response | null,
  tookMs: number,
): PublicAnswer {
  if (response === null) {
    return { operation, code: null, tookMs, cache: 'hit', refusedBy: null, requestId: null }
  }
  const { status, headers } = response
  return {
    operation,
    code: status < 400 ? null : responseCode(response),
    tookMs,
    cache: cacheState(headers.get('cache-status')),
    refusedBy: status === 429 ? policyName(headers.get('ratelimit')) : null,
    requestId: headers.get(REQUEST_ID_HEADER) ?? '',
  }
}

function cacheState(status: string | null): PublicAnswer['cache'] {
  if (status === null) return null
  if (status.includes('miss')) return 'miss'
  return status.includes('ttl=-') || status.endsWith('ttl=0') ? 'stale' : 'hit'
}

function policyName(limit: string | null): string {
  return /^"(\w+)"/.exec(limit ?? '')?.[1] ?? 'unknown'
}

/** Upper bounds of durations in ms, from 20 µs to about two minutes, each 25 % above the previous bound. */
const BOUNDS_MS = Array.from({ length: 72 }, (_, at) => 0.02 * 1.25 ** at)

/** Number of durations per bound. */
export type Durations = Uint32Array<ArrayBuffer>

export function newDurations(): Durations {
  return new Uint32Array(BOUNDS_MS.length + 1)
}

/** Counts one duration in ms. */
export function countInto(durations: Durations, ms: number): void {
  const at = bucketIndex(BOUNDS_MS, ms)
  durations[at] = (durations[at] ?? 0) + 1
}

/** The duration in ms at a quantile, at most 25 % too high; null if there are no durations. */
export function percentile(durations: Durations, share: number): number | null {
  return quantileBound(BOUNDS_MS, durations, share)
}

function addInto(sum: Durations, other: Durations): void {
  for (const [at, count] of other.entries()) sum[at] = (sum[at] ?? 0) + count
}

/** Adds up periods until their sum is read as one row of the last day. */
export function createMinuteSum(clock: Clock) {
  const durations = newDurations()
  let [requests, failed, loopDelayMs, residentBytes] = [0, 0, 0, 0]
  return {
    add: ([, more, moreFailed, , loopMs, bytes]: Sample, periodDurations: Durations): void => {
      requests += more
      failed += moreFailed
      loopDelayMs = Math.max(loopDelayMs, loopMs)
      residentBytes = bytes
      addInto(durations, periodDurations)
    },
    end: (spanMs: number): Minute => {
      const untilMs = clock.nowMs()
      const p99Ms = percentile(durations, 0.99)
      const row: Minute = [untilMs, spanMs, requests, failed, p99Ms, loopDelayMs, residentBytes]
      ;[requests, failed, loopDelayMs] = [0, 0, 0]
      durations.fill(0)
      return row
    },
  }
}

type Slot = { minute: number; readonly histogram: Durations }

/** Durations per minute of the last hour. Each new minute overwrites the oldest minute. */
export type Minutes = {
  readonly add: (ms: number, nowMs: number) => void
  readonly latency: (nowMs: number) => Latency
}

export function createMinutes(): Minutes {
  const slots: Slot[] = []

  function add(ms: number, nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS)
    const at = minute % CONSOLE_LIMITS.minutesKept
    const slot = slots[at] ?? { minute, histogram: newDurations() }
    slots[at] = slot
    if (slot.minute !== minute) {
      slot.minute = minute
      slot.histogram.fill(0)
    }
    countInto(slot.histogram, ms)
  }

  function latency(nowMs: number): Latency {
    const oldest = Math.floor(nowMs / MINUTE_MS) - CONSOLE_LIMITS.minutesKept
    const sum = newDurations()
    for (const slot of slots) if (slot && slot.minute > oldest) addInto(sum, slot.histogram)
    return {
      count: totalCount(sum),
      p50Ms: percentile(sum, 0.5),
      p95Ms: percentile(sum, 0.95),
      p99Ms: percentile(sum, 0.99),
    }
  }

  return { add, latency }
}
