import type { Lifetime } from '../../contract/limits.ts'
import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Reply } from '../scrub/reply.ts'

/** How the last attempt to renew an entry failed. */
type FailedRenewal = { readonly atMs: number; readonly outage: boolean }

/** One answer held in memory. */
export type CachedReply = {
  readonly reply: Reply
  fetchedAtMs: number
  setback?: FailedRenewal
  hit?: ServedHit
}

/** A fresh answer in the form that was served. Requests within the same second of the answer's age reuse it. */
type ServedHit = {
  readonly served: { readonly reply: Reply; readonly ageSeconds: number; readonly state: 'hit' }
  readonly lifetime: Lifetime
  readonly fromMs: number
  readonly toMs: number
}

/** Answers by key. When the bytes run out, the least recently used answers are evicted. */
type ReplyMemory = {
  readonly get: (key: string, nowMs: number) => CachedReply | undefined
  /** Stores an entry, unless the entry alone exceeds the maximum. */
  readonly put: (key: string, entry: CachedReply, nowMs: number) => void
  readonly clear: () => void
  readonly bytes: () => number
}

/** The memory of an entry in addition to its body: the map's slot and the entry's objects. */
const ENTRY_BYTES = 256

type Slot = { readonly entry: CachedReply; usedSecond: number }

/** Creates a memory of at most `maxBytes`, including keys and compressed bodies. */
export function createReplyMemory(maxBytes: number): ReplyMemory {
  const slots = createBoundedMap<string, Slot>(maxBytes)

  function get(key: string, nowMs: number): CachedReply | undefined {
    const slot = slots.get(key)
    if (!slot) return undefined
    // Moving a map entry costs more than finding it, so a frequently used entry moves at most once per second.
    const second = Math.floor(nowMs / 1000)
    if (slot.usedSecond !== second) {
      slot.usedSecond = second
      slots.renew(key)
    }
    return slot.entry
  }

  function put(key: string, entry: CachedReply, nowMs: number): void {
    const slot = { entry, usedSecond: Math.floor(nowMs / 1000) }
    slots.put(key, slot, entryCostBytes(key, entry.reply))
  }

  return { get, put, clear: slots.clear, bytes: slots.weight }
}

/**
 * Upper bound of an entry's memory. Compressed bodies are made on first use and kept only if they are shorter than the
 * body. So all compressed bodies together count as one more body.
 */
function entryCostBytes(key: string, { bytes, isPackable }: Reply): number {
  return ENTRY_BYTES + 2 * key.length + (isPackable ? 3 : 2) * bytes.byteLength
}

type Freshness = 'fresh' | 'due' | 'renewable' | 'bridging' | 'gone'

/** A hit in this last part of the fresh period starts the renewal, so that steady callers never wait. */
const RENEWAL_SHARE = 1 / 5

/**
 * The freshness of an entry at its age. `due`: still fresh, to be renewed in the background. Both stale periods start
 * at the end of the fresh period (RFC 5861).
 */
export function freshnessAt(entry: CachedReply, lifetime: Lifetime, nowMs: number): Freshness {
  const staleSeconds = (nowMs - entry.fetchedAtMs) / 1000 - lifetime.freshSeconds
  if (staleSeconds < -lifetime.freshSeconds * RENEWAL_SHARE) return 'fresh'
  if (staleSeconds < 0) return 'due'
  if (staleSeconds < lifetime.staleWhileRevalidateSeconds) return 'renewable'
  return staleSeconds < lifetime.staleIfErrorSeconds ? 'bridging' : 'gone'
}

/** Maximum age at which a different instance's answer counts as new. */
export function newAnswerAgeMaxMs({ freshSeconds }: Lifetime): number {
  return 1000 * freshSeconds * (1 - RENEWAL_SHARE)
}

/** How long an entry is usable, fresh or stale. */
export function usableMs(lifetime: Lifetime): number {
  const { freshSeconds, staleWhileRevalidateSeconds, staleIfErrorSeconds } = lifetime
  return 1000 * (freshSeconds + Math.max(staleWhileRevalidateSeconds, staleIfErrorSeconds))
}

/** Whether the last renewal failed so recently that the next attempt must wait. */
export function isPaused({ setback }: CachedReply, nowMs: number): boolean {
  return setback !== undefined && Math.abs(nowMs - setback.atMs) < LIMITS.cacheRenewPauseMs
}
