import type { Lifetime } from '../../contract/limits.ts'
import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Reply } from '../scrub/reply.ts'

/** How the last attempt to renew an entry failed. */
type Setback = { readonly atMs: number; readonly outage: boolean }

/** One answer held in memory. */
export type CachedReply = {
  readonly reply: Reply
  fetchedAtMs: number
  setback?: Setback
  hit?: Hit
}

/** The form in which a fresh answer was served, which stays the same while its age in seconds does. */
type Hit = {
  readonly served: { readonly reply: Reply; readonly ageSeconds: number; readonly state: 'hit' }
  readonly lifetime: Lifetime
  readonly fromMs: number
  readonly toMs: number
}

/** Answers by key, the least recently used going first when the bytes run out. */
type ReplyMemory = {
  readonly get: (key: string, nowMs: number) => CachedReply | undefined
  /** Holds an entry, unless it alone would take more than everything. */
  readonly put: (key: string, entry: CachedReply, nowMs: number) => void
  readonly clear: () => void
  readonly bytes: () => number
}

/** The memory of an entry besides its body: the map's slot and the objects around it. */
const ENTRY_BYTES = 256

type Slot = { readonly entry: CachedReply; usedSecond: number }

/** A memory of at most `maxBytes`, keys and compressed bodies included. */
export function createReplyMemory(maxBytes: number): ReplyMemory {
  const slots = createBoundedMap<string, Slot>(maxBytes)

  function get(key: string, nowMs: number): CachedReply | undefined {
    const slot = slots.get(key)
    if (!slot) return undefined
    // Moving a slot costs more than finding it, so an entry in constant use moves once a second.
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
 * The memory of an entry. A packed body is made on first use and kept only when it is shorter, so one more body is the
 * upper bound of all packed ones.
 */
function entryCostBytes(key: string, { bytes, isPackable }: Reply): number {
  return ENTRY_BYTES + 2 * key.length + (isPackable ? 3 : 2) * bytes.byteLength
}

type Freshness = 'fresh' | 'due' | 'renewable' | 'bridging' | 'gone'

/**
 * The last part of a lifetime, as a share of it. A hit in that part starts the renewal, so that steady callers never
 * wait.
 */
const RENEWAL_SHARE = 1 / 5

/**
 * The freshness of an entry at its age. `due` is fresh, and to be renewed behind the answer. Both stale periods count
 * from the end of freshness (RFC 5861).
 */
export function freshnessAt(entry: CachedReply, lifetime: Lifetime, nowMs: number): Freshness {
  const staleSeconds = (nowMs - entry.fetchedAtMs) / 1000 - lifetime.freshSeconds
  if (staleSeconds < -lifetime.freshSeconds * RENEWAL_SHARE) return 'fresh'
  if (staleSeconds < 0) return 'due'
  if (staleSeconds < lifetime.staleWhileRevalidateSeconds) return 'renewable'
  return staleSeconds < lifetime.staleIfErrorSeconds ? 'bridging' : 'gone'
}

/** Maximum age at which an answer that another instance has loaded counts as new. */
export function newMaxMs({ freshSeconds }: Lifetime): number {
  return 1000 * freshSeconds * (1 - RENEWAL_SHARE)
}

/** How long an entry is worth keeping. */
export function usefulMs(lifetime: Lifetime): number {
  const { freshSeconds, staleWhileRevalidateSeconds, staleIfErrorSeconds } = lifetime
  return 1000 * (freshSeconds + Math.max(staleWhileRevalidateSeconds, staleIfErrorSeconds))
}

/** Whether the last attempt to renew an entry failed just now. */
export function isPaused({ setback }: CachedReply, nowMs: number): boolean {
  return setback !== undefined && Math.abs(nowMs - setback.atMs) < LIMITS.cacheRenewPauseMs
}
