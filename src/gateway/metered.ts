import type { PolicyName } from '../contract/limits.ts'
import { Failure } from '../core/failure.ts'
import type { Counter, Meter } from '../core/observing/meter.ts'
import { currentRequest } from '../core/observing/request-context.ts'
import { certainlyNotDone } from '../upstream/wire/failures.ts'
import type { Cache, Served } from './cache/cache.ts'
import { operationName } from './cache/responses.ts'
import type { RateWindows } from './limits/limiter.ts'
import type { RateVerdict } from './limits/verdict.ts'
import type { Mandates } from './mandate/mandates.ts'
import { Replayed, type WriteLedger, type Written } from './relay/write-ledger.ts'

/** Wraps a limiter to count its refusals by policy, and to report its number of windows. */
export function meteredLimiter(limiter: RateWindows, meter: Meter): RateWindows {
  meter.reading('prepd_rate_windows', limiter.size)

  function counted(policy: PolicyName, verdict: RateVerdict): RateVerdict {
    if (!verdict.allowed) meter.counter('prepd_refusals_total', policy).add()
    return verdict
  }

  return {
    ...limiter,
    charge: (policy, key) => counted(policy, limiter.charge(policy, key)),
    refusal: (policy, key) => {
      const refusal = limiter.refusal(policy, key)
      return refusal && counted(policy, refusal)
    },
    take: (policy, key) => {
      const taken = limiter.take(policy, key)
      if (!(taken instanceof Promise)) return counted(policy, taken)
      return taken.then((verdict) => counted(policy, verdict))
    },
  }
}

/** Wraps mandates to count their changes, by wallet or key. */
export function meteredMandates(mandates: Mandates, meter: Meter): Mandates {
  function counted(by: 'wallet' | 'key', changed: boolean): boolean {
    if (changed) meter.counter('prepd_mandate_changes_total', by).add()
    return changed
  }

  return {
    ...mandates,
    put: async (...given) => counted('wallet', await mandates.put(...given)),
    tighten: async (...given) => counted('key', await mandates.tighten(...given)),
  }
}

/** Wraps a cache to count its answers by operation and state. */
export function meteredCache(cache: Cache, meter: Meter): Cache {
  // Remembers counters, because finding one costs more than counting. The number of operations is bounded by the
  // tables.
  const counters = new Map<Served['state'], Map<string, Counter>>()
  const hits = new Map<string, Counter>()

  function cacheCounter(operation: string, state: Served['state']): Counter {
    const known = counters.get(state)?.get(operation)
    if (known) return known
    const made = meter.counter('prepd_cache_answers_total', operation, state)
    const ofState = counters.get(state) ?? new Map<string, Counter>()
    counters.set(state, ofState.set(operation, made))
    return made
  }

  function count(key: string, { state }: Served): void {
    const request = currentRequest()
    if (request) request.cache = state
    if (state === 'hit') hitCounter(key).add()
    else cacheCounter(operationName(key), state).add()
  }

  function counted(key: string, served: Served | null): Served | null {
    if (served) count(key, served)
    return served
  }

  // Hits of keys without parameters are the most frequent, so their counters are also remembered by key.
  function hitCounter(key: string): Counter {
    const known = hits.get(key)
    if (known) return known
    const operation = operationName(key)
    const made = cacheCounter(operation, 'hit')
    if (operation === key) hits.set(key, made)
    return made
  }

  return {
    purge: cache.purge,
    forget: cache.forget,
    peek: (key, lifetime) => counted(key, cache.peek(key, lifetime)),
    recall: (key, lifetime) => counted(key, cache.recall(key, lifetime)),
    serve: async (...asked) => {
      const served = await cache.serve(...asked)
      count(asked[0], served)
      return served
    },
  }
}

/** The outcomes of a relayed write. */
// biome-ignore format: read as a list
export const WRITE_OUTCOMES = [
  'accepted', 'replayed', 'refused', 'not_done', 'duplicate', 'unknown',
] as const

type CountedOutcome = (typeof WRITE_OUTCOMES)[number]

/**
 * Wraps a ledger to count writes by outcome, and to mark replays in the access log. `noteUnknown` is called with the
 * account of each write whose outcome is unknown.
 */
export function meteredWrites(
  writes: WriteLedger,
  meter: Meter,
  noteUnknown: (accountId: string) => void,
): WriteLedger {
  function count(outcome: CountedOutcome): void {
    meter.counter('prepd_relayed_writes_total', outcome).add()
    const call = currentRequest()?.call
    if (call) call.replayed = outcome === 'replayed'
  }

  async function once(attempt: Parameters<WriteLedger['once']>[0]): Promise<Written> {
    try {
      const written = await writes.once(attempt)
      count(written.replayed ? 'replayed' : 'accepted')
      return written
    } catch (error) {
      const outcome = toCountedOutcome(error)
      count(outcome)
      if (outcome === 'unknown') noteUnknown(attempt.owner)
      throw error
    }
  }

  return { ...writes, once }
}

function toCountedOutcome(error: unknown): CountedOutcome {
  if (error instanceof Replayed) return 'replayed'
  if (certainlyNotDone(error)) return 'not_done'
  const code = error instanceof Failure ? error.code : 'outcome_unknown'
  if (code === 'outcome_unknown') return 'unknown'
  return code === 'duplicate_request' ? 'duplicate' : 'refused'
}
