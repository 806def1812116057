import type { Count, OperationFigures } from '../../spec/console/figures.ts'
import { codeOf } from '../http/responses.ts'
import { createMinutes, type Minutes } from './minutes.ts'

/** One answer of the public listener. */
export type Answered = {
  readonly operation: string
  /** The failure's code; null when it was none. */
  readonly code: string | null
  readonly tookMs: number
  readonly cache: 'hit' | 'stale' | 'miss' | null
  /** The rate policy that refused; null when none did. */
  readonly refusedBy: string | null
  /** Null where it came straight out of memory. */
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

/** Answers by operation. */
export type OperationTally = {
  readonly add: (answer: Answered, nowMs: number) => void
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

/** Counts by name. */
export type Tally = { readonly bump: (name: string) => void; readonly counts: () => Count[] }

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

/** What the console counts of an answer; without a response it came straight out of memory. */
export function answeredOf(operation: string, response: Response | null, tookMs: number): Answered {
  if (response === null) {
    return { operation, code: null, tookMs, cache: 'hit', refusedBy: null, requestId: null }
  }
  const { status, headers } = response
  return {
    operation,
    code: status < 400 ? null : codeOf(response),
    tookMs,
    cache: cacheOf(headers.get('cache-status')),
    refusedBy: status === 429 ? policyOf(headers.get('ratelimit')) : null,
    requestId: headers.get('x-request-id') ?? '',
  }
}

function cacheOf(status: string | null): Answered['cache'] {
  if (status === null) return null
  if (status.includes('miss')) return 'miss'
  return status.includes('ttl=-') || status.endsWith('ttl=0') ? 'stale' : 'hit'
}

function policyOf(limit: string | null): string {
  return /^"(\w+)"/.exec(limit ?? '')?.[1] ?? 'unknown'
}
