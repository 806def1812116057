import type { Lifetime } from '../../contract/limits.ts'
import type { Reply } from '../scrub/reply.ts'
import { createLeasedLoad, isOutage, type LoadLeases } from './load-lease.ts'
import { type CachedReply, freshnessAt, isPaused, newAnswerAgeMaxMs, usableMs } from './memory.ts'
import {
  createResponseCache,
  errorName,
  operationName,
  type ResponseCacheOptions,
} from './responses.ts'
import { createSingleFlight, isAbort, type SingleFlight } from './single-flight.ts'

/** An answer from the cache: `hit` is fresh, `stale` is past its fresh period, `miss` was loaded for this call. */
export type Served = {
  readonly reply: Reply
  readonly ageSeconds: number
  readonly state: 'hit' | 'stale' | 'miss'
}

/** Answers by key: from memory, else from the store, else from one load shared by all concurrent callers. */
export type Cache = {
  /** A fresh answer from memory, the path of most requests. Null without a fresh answer, or if `serve` has to renew it. */
  readonly peek: (key: string, lifetime: Lifetime) => Served | null
  /** A fresh answer from memory, even if it is due for renewal. For answers that are never renewed early. */
  readonly recall: (key: string, lifetime: Lifetime) => Served | null
  /**
   * Returns a cached answer, or loads one. Throws the error of the load (errors are not cached), or Failure
   * `upstream_timeout` if a different caller's load takes longer than `waitMaxMs` (default: that of CacheOptions).
   * Throws RangeError for a lifetime without a fresh period.
   */
  readonly serve: (
    key: string,
    lifetime: Lifetime,
    load: () => Promise<Reply>,
    waitMaxMs?: number,
  ) => Promise<Served>
  /** Forgets all answers. If it throws Failure `store_unavailable`, all answers are kept. */
  readonly purge: () => Promise<void>
  /** Forgets the answers in memory, after a different instance has purged. */
  readonly forget: () => void
}

type CacheOptions = ResponseCacheOptions & {
  /** The load leases of instances that share a store; null for a single instance. */
  readonly leases: LoadLeases | null
  /** Maximum time that a call waits for a load that a different call has started. */
  readonly waitMaxMs: number
  /** Whether time advances only on request. A call then waits for a renewal, which otherwise runs in the background. */
  readonly isStepped: boolean
}

/**
 * Creates the cache. After an answer's lifetime, callers wait for a shared load. Two periods of a lifetime allow stale
 * answers: stale-while-revalidate, and stale-if-error during an outage.
 */
export function createCache(parts: CacheOptions): Cache {
  const { clock, log, waitMaxMs, leases, isStepped, ...rest } = parts
  const responses = createResponseCache({ clock, log, ...rest })
  const leasedLoad = createLeasedLoad({ responses: responses, leases, waitMaxMs })
  const flights = createSingleFlight<CachedReply>(noteSetback)

  function noteSetback(key: string, error: unknown): void {
    const nowMs = clock.nowMs()
    const entry = responses.held(key, nowMs)
    if (!entry || isAbort(error)) return
    entry.setback = { atMs: nowMs, outage: isOutage(error) }
    log.warn('cache.renewal_failed', { operation: operationName(key), error: errorName(error) })
  }

  function look(key: string, entry: CachedReply, lifetime: Lifetime, nowMs = clock.nowMs()) {
    return outlook(entry, lifetime, nowMs, flights.isUnderWay(key))
  }

  function recall(key: string, lifetime: Lifetime, mayBeDue: boolean): Served | null {
    const nowMs = clock.nowMs()
    const entry = responses.held(key, nowMs)
    if (!entry) return null
    const hit = freshHit(entry, lifetime, nowMs)
    if (hit) return hit
    const { ready, renew } = look(key, entry, lifetime, nowMs)
    return ready?.state === 'hit' && (mayBeDue || !renew) ? ready : null
  }

  async function serve(...[key, lifetime, load, ownMaxMs]: Parameters<Cache['serve']>) {
    if (lifetime.freshSeconds <= 0) throw new RangeError(`${operationName(key)} is never cached`)
    const keep = async () => responses.keep(key, await load(), usableMs(lifetime))
    const run = () => leasedLoad(key, lifetime, keep)
    const held = responses.held(key, clock.nowMs())
    const entry = isToBeRestored(flights, key, held) ? await responses.restore(key) : held
    const now = entry && awaited(look(key, entry, lifetime), isStepped)
    if (now?.renew) flights.behind(key, run)
    if (now?.ready) return now.ready
    try {
      return served(await flights.join(key, run, ownMaxMs ?? waitMaxMs), 'miss', clock.nowMs())
    } catch (error) {
      return bridge(entry, lifetime, error)
    }
  }

  /** Returns a usable stale answer in place of an outage's error. Otherwise rethrows the error. */
  function bridge(entry: CachedReply | undefined, lifetime: Lifetime, error: unknown): Served {
    const nowMs = clock.nowMs()
    if (!entry || !isOutage(error)) throw error
    if (freshnessAt(entry, lifetime, nowMs) === 'gone') throw error
    return served(entry, 'stale', nowMs)
  }

  return {
    peek: (key, lifetime) => recall(key, lifetime, false),
    recall: (key, lifetime) => recall(key, lifetime, true),
    serve,
    purge: responses.clear,
    forget: responses.forget,
  }
}

// Whether to look in the store. During a load the store is skipped, because the load's caller has already looked.
function isToBeRestored(
  { isUnderWay }: Pick<SingleFlight<CachedReply>, 'isUnderWay'>,
  key: string,
  held: CachedReply | undefined,
): boolean {
  return !held && !isUnderWay(key)
}

/** `ready`: the answer that is available at once, null if a load is needed. `renew`: its renewal has to be started. */
type Outlook = { readonly ready: Served | null; readonly renew: boolean }

function outlook(
  entry: CachedReply,
  lifetime: Lifetime,
  nowMs: number,
  isUnderWay: boolean,
): Outlook {
  const freshness = freshnessAt(entry, lifetime, nowMs)
  if (freshness === 'fresh') return { ready: served(entry, 'hit', nowMs), renew: false }
  const tried = isUnderWay || isPaused(entry, nowMs)
  if (freshness === 'due') return { ready: served(entry, 'hit', nowMs), renew: !tried }
  if (freshness === 'renewable') return { ready: served(entry, 'stale', nowMs), renew: !tried }
  // In an outage, one caller at a time checks whether the outage is over. All other callers get the stale answer at
  // once.
  const bridges = freshness === 'bridging' && tried && entry.setback?.outage
  return { ready: bridges ? served(entry, 'stale', nowMs) : null, renew: false }
}

/** With stepped time, an answer that has to be renewed does not count as ready, so that its call waits for the renewal. */
function awaited(now: Outlook, isStepped: boolean): Outlook {
  return isStepped && now.renew ? { ready: null, renew: false } : now
}

/**
 * A fresh entry as a hit; null if the entry is stale or due for renewal. Calls within the same second of the entry's
 * age return the same object.
 */
function freshHit(entry: CachedReply, lifetime: Lifetime, nowMs: number): Served | null {
  const { hit } = entry
  if (hit && nowMs >= hit.fromMs && nowMs < hit.toMs && hit.lifetime === lifetime) return hit.served
  if (freshnessAt(entry, lifetime, nowMs) !== 'fresh') return null
  const { reply, fetchedAtMs } = entry
  const { ageSeconds } = served(entry, 'hit', nowMs)
  const toMs = fetchedAtMs + Math.min(1000 * (ageSeconds + 1), newAnswerAgeMaxMs(lifetime))
  const made = { reply, ageSeconds, state: 'hit' } as const
  entry.hit = { served: made, lifetime, fromMs: nowMs, toMs }
  return made
}

function served(entry: CachedReply, state: Served['state'], nowMs: number): Served {
  const ageSeconds = Math.max(0, Math.floor((nowMs - entry.fetchedAtMs) / 1000))
  return { reply: entry.reply, ageSeconds, state }
}

/** The caching headers of an answer: Cache-Control (RFC 9111, RFC 5861), Age, and Cache-Status (RFC 9211). */
export function cacheHeaders(served: Served, lifetime: Lifetime): Record<string, string> {
  const ttlSeconds = lifetime.freshSeconds - served.ageSeconds
  return {
    'cache-control': cacheControl(lifetime),
    age: String(served.ageSeconds),
    'cache-status':
      served.state === 'miss' ? 'prepd; fwd=miss; stored' : `prepd; hit; ttl=${ttlSeconds}`,
  }
}

function cacheControl(lifetime: Lifetime): string {
  const { freshSeconds, staleWhileRevalidateSeconds, staleIfErrorSeconds } = lifetime
  const stale = [
    { directive: 'stale-while-revalidate', seconds: staleWhileRevalidateSeconds },
    { directive: 'stale-if-error', seconds: staleIfErrorSeconds },
  ]
  const listed = stale.filter(({ seconds }) => seconds > 0)
  const rest = listed.map(({ directive, seconds }) => `, ${directive}=${seconds}`)
  return `public, max-age=${freshSeconds}${rest.join('')}`
}
