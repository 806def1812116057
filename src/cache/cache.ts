import { Failure } from '../core/failure.ts'
import type { Clock, Log, Store } from '../core/ports.ts'
import type { Reply } from '../scrub/reply.ts'
import type { FailureCode } from '../spec/failures.ts'
import type { Lifetime } from '../spec/limits.ts'
import type { Entry } from './memory.ts'
import { createReplyShelf, nameOf, operationOf } from './shelf.ts'
import { createSingleFlight, isAbort } from './single-flight.ts'

/** An answer out of the cache: `hit` is fresh, `stale` is past that, `miss` was loaded for this call. */
export type Served = {
  readonly reply: Reply
  readonly ageSeconds: number
  readonly state: 'hit' | 'stale' | 'miss'
}

/** Answers by key: memory first, then the store, then one load however many ask at once. */
export type Cache = {
  /** A fresh answer out of memory, or null: the path most requests end on. */
  readonly peek: (key: string, lifetime: Lifetime) => Served | null
  /**
   * An answer, loaded if need be. Throws what the load threw, or Failure `upstream_timeout` when it is another's and
   * takes longer than `waitMaxMs`: unless said otherwise, the cache's own. Nothing that was thrown is kept. RangeError
   * for a lifetime that is never fresh.
   */
  readonly serve: (
    key: string,
    lifetime: Lifetime,
    load: () => Promise<Reply>,
    waitMaxMs?: number,
  ) => Promise<Served>
}

type Parts = {
  readonly clock: Clock
  readonly store: Store['responses']
  readonly memoryMaxBytes: number
  /** How long a call waits for a load that another began. */
  readonly waitMaxMs: number
  readonly log: Log
}

/** Failures that say nothing about what was asked, only that nobody could be asked. */
const OUTAGES: ReadonlySet<FailureCode> = new Set([
  'upstream_unavailable',
  'upstream_busy',
  'upstream_timeout',
])

/** After a failed renewal a stale answer is served without another attempt for this long. */
const SETBACK_PAUSE_MS = 2000

/** The cache. A failed renewal never costs a good answer, and an outage is bridged by stale ones within their bound. */
export function createCache({ clock, log, waitMaxMs, ...rest }: Parts): Cache {
  const shelf = createReplyShelf({ clock, log, ...rest })
  const flights = createSingleFlight<Entry>(noteSetback)

  function noteSetback(key: string, error: unknown): void {
    const nowMs = clock.nowMs()
    const entry = shelf.held(key, nowMs)
    if (!entry || isAbort(error)) return
    entry.setback = { atMs: nowMs, outage: isOutage(error) }
    log.warn('cache.renewal_failed', { operation: operationOf(key), error: nameOf(error) })
  }

  function peek(key: string, lifetime: Lifetime): Served | null {
    const nowMs = clock.nowMs()
    const entry = shelf.held(key, nowMs)
    if (!entry) return null
    return standingOf(entry, lifetime, nowMs) === 'fresh' ? served(entry, 'hit', nowMs) : null
  }

  /** What can be answered without waiting; a renewal may have been started behind it. */
  function atOnce(key: string, entry: Entry, lifetime: Lifetime, run: Run): Served | null {
    const nowMs = clock.nowMs()
    const standing = standingOf(entry, lifetime, nowMs)
    if (standing === 'fresh') return served(entry, 'hit', nowMs)
    const paused = isPaused(entry, nowMs)
    if (standing === 'renewable') {
      if (!paused) flights.behind(key, run)
      return served(entry, 'stale', nowMs)
    }
    // In an outage one caller at a time finds out whether it is over; the others do not wait for that.
    const out = entry.setback?.outage && (paused || flights.isUnderWay(key))
    return standing === 'bridging' && out ? served(entry, 'stale', nowMs) : null
  }

  async function serve(...[key, lifetime, load, ownMaxMs]: Parameters<Cache['serve']>) {
    if (lifetime.freshSeconds <= 0) throw new RangeError(`${operationOf(key)} is never cached`)
    const run = async () => shelf.keep(key, await load(), usefulMs(lifetime))
    // Whoever finds a load under way need not look in the store: the first caller did.
    const look = flights.isUnderWay(key) ? shelf.held : shelf.find
    const entry = look(key, clock.nowMs())
    const ready = entry && atOnce(key, entry, lifetime, run)
    if (ready) return ready
    try {
      return served(await flights.join(key, run, ownMaxMs ?? waitMaxMs), 'miss', clock.nowMs())
    } catch (error) {
      return bridge(entry, lifetime, error)
    }
  }

  /** A stale answer in place of the one an outage withheld. Throws the error where there is none. */
  function bridge(entry: Entry | undefined, lifetime: Lifetime, error: unknown): Served {
    const nowMs = clock.nowMs()
    if (!entry || !isOutage(error)) throw error
    if (standingOf(entry, lifetime, nowMs) === 'gone') throw error
    return served(entry, 'stale', nowMs)
  }

  return { peek, serve }
}

type Run = () => Promise<Entry>

type Standing = 'fresh' | 'renewable' | 'bridging' | 'gone'

/** What an entry is good for at its age; both stale periods count from the end of freshness (RFC 5861). */
function standingOf(entry: Entry, lifetime: Lifetime, nowMs: number): Standing {
  const staleSeconds = (nowMs - entry.fetchedAtMs) / 1000 - lifetime.freshSeconds
  if (staleSeconds < 0) return 'fresh'
  if (staleSeconds < lifetime.staleWhileRevalidateSeconds) return 'renewable'
  return staleSeconds < lifetime.staleIfErrorSeconds ? 'bridging' : 'gone'
}

function usefulMs(lifetime: Lifetime): number {
  const { freshSeconds, staleWhileRevalidateSeconds, staleIfErrorSeconds } = lifetime
  return 1000 * (freshSeconds + Math.max(staleWhileRevalidateSeconds, staleIfErrorSeconds))
}

function isPaused({ setback }: Entry, nowMs: number): boolean {
  return setback !== undefined && Math.abs(nowMs - setback.atMs) < SETBACK_PAUSE_MS
}

function isOutage(error: unknown): boolean {
  return error instanceof Failure && OUTAGES.has(error.code)
}

function served(entry: Entry, state: Served['state'], nowMs: number): Served {
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
  const said = stale.filter(({ seconds }) => seconds > 0)
  const rest = said.map(({ directive, seconds }) => `, ${directive}=${seconds}`)
  return `public, max-age=${freshSeconds}${rest.join('')}`
}
