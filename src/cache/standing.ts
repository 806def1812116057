import type { Lifetime } from '../spec/limits.ts'
import type { Entry } from './memory.ts'

export type Standing = 'fresh' | 'due' | 'renewable' | 'bridging' | 'gone'

/** The part of a lifetime at whose end a hit starts the renewal, so that those who ask steadily never wait. */
const RENEWAL_SHARE = 1 / 5

/**
 * What an entry is good for at its age: `due` is fresh, and to be renewed behind the answer. Both stale periods count
 * from the end of freshness (RFC 5861).
 */
export function standingOf(entry: Entry, lifetime: Lifetime, nowMs: number): Standing {
  const staleSeconds = (nowMs - entry.fetchedAtMs) / 1000 - lifetime.freshSeconds
  if (staleSeconds < -lifetime.freshSeconds * RENEWAL_SHARE) return 'fresh'
  if (staleSeconds < 0) return 'due'
  if (staleSeconds < lifetime.staleWhileRevalidateSeconds) return 'renewable'
  return staleSeconds < lifetime.staleIfErrorSeconds ? 'bridging' : 'gone'
}

/** How old an answer may be that another has loaded, and still be taken for new. */
export function newMaxMs({ freshSeconds }: Lifetime): number {
  return 1000 * freshSeconds * (1 - RENEWAL_SHARE)
}

/** How long an entry is worth keeping. */
export function usefulMs(lifetime: Lifetime): number {
  const { freshSeconds, staleWhileRevalidateSeconds, staleIfErrorSeconds } = lifetime
  return 1000 * (freshSeconds + Math.max(staleWhileRevalidateSeconds, staleIfErrorSeconds))
}

/** After a failed renewal a stale answer is served without another attempt for this long. */
const SETBACK_PAUSE_MS = 2000

/** Whether the last attempt to renew an entry failed just now. */
export function isPaused({ setback }: Entry, nowMs: number): boolean {
  return setback !== undefined && Math.abs(nowMs - setback.atMs) < SETBACK_PAUSE_MS
}
