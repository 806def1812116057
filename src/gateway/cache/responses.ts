import { Failure } from '../../core/failure.ts'
import { currentRequest } from '../../core/observing/request-context.ts'
import type { Clock, Log, Store, StoredResponse } from '../../core/ports.ts'
import { type Reply, restoreReply } from '../scrub/reply.ts'
import { verifyChecksum, withChecksum } from './checksum.ts'
import { type CachedReply, createReplyMemory } from './memory.ts'
import { createStoreShare, type StoreCosts, type StoreShare } from './store-share.ts'

/** Keeps answers in memory, as far as there is room, and in the store. If the store fails, answers are loaded again. */
export type ResponseCache = {
  /** The entry in memory. */
  readonly held: (key: string, nowMs: number) => CachedReply | undefined
  /** Reads an entry from the store into memory. A newer entry in memory takes precedence. */
  readonly restore: (key: string) => Promise<CachedReply | undefined>
  /**
   * Caches an answer that was loaded now. The answer is also stored if `usefulMs` is long enough and the caller's share
   * allows the write.
   */
  readonly keep: (key: string, reply: Reply, usefulMs: number) => CachedReply
  /** Puts a stored entry into memory; undefined if it is damaged. */
  readonly takeIn: (key: string, stored: StoredResponse) => CachedReply | undefined
  /** Forgets all answers, in memory and in the store. Throws the store's error; all answers are then kept. */
  readonly clear: () => Promise<void>
  /** Forgets the answers in memory. */
  readonly forget: () => void
}

export type ResponseCacheOptions = {
  /** The clock for the age of answers. */
  readonly clock: Clock
  /** The clock for expiry in the store. */
  readonly wallClock: Clock
  readonly store: Pick<Store['responses'], 'get' | 'put' | 'clear'>
  /** The costs of writing to the store. */
  readonly storeCosts: StoreCosts
  readonly memoryMaxBytes: number
  readonly log: Log
}

/** Opens the cache of responses. Keys are `operation?parameters`; only the part before `?` is ever logged. */
export function createResponseCache(parts: ResponseCacheOptions): ResponseCache {
  const { clock, wallClock, store, storeCosts, memoryMaxBytes, log } = parts
  const memory = createReplyMemory(memoryMaxBytes)
  const share = createStoreShare(storeCosts)
  let clears = 0

  function held(key: string, nowMs: number): CachedReply | undefined {
    const entry = memory.get(key, nowMs)
    // The clock went back. The answer's age restarts at zero; otherwise it could stay fresh for hours.
    if (entry && entry.fetchedAtMs > nowMs) entry.fetchedAtMs = nowMs
    return entry
  }

  async function restore(key: string): Promise<CachedReply | undefined> {
    try {
      const clearsBefore = clears
      const stored = await store.get(key)
      // Drops the stored answer if a purge happened during the read.
      if (clears !== clearsBefore) return undefined
      const nowMs = clock.nowMs()
      // Prefers an answer that was loaded during the read, because that answer is newer.
      const loaded = held(key, nowMs)
      return loaded || !stored ? loaded : takeIn(key, stored)
    } catch (error) {
      log.warn('cache.store_unreadable', { operation: operationName(key), error: errorName(error) })
      return undefined
    }
  }

  function takeIn(key: string, stored: StoredResponse): CachedReply | undefined {
    const nowMs = clock.nowMs()
    const entry = toCachedReply(key, stored, nowMs)
    if (entry) memory.put(key, entry, nowMs)
    else log.warn('cache.store_damaged', { operation: operationName(key) })
    return entry
  }

  function keep(key: string, reply: Reply, usefulMs: number): CachedReply {
    const fetchedAtMs = clock.nowMs()
    const entry = { reply, fetchedAtMs }
    memory.put(key, entry, fetchedAtMs)
    if (usefulMs < storeCosts.lifeMinMs || !isWithinShare(share, reply, wallClock.nowMs()))
      return entry
    const row = withChecksum(key, { bytes: reply.bytes, fetchedAtMs })
    store.put(key, row, wallClock.nowMs() + usefulMs).catch((error: unknown) => {
      log.warn('cache.store_unwritable', { operation: operationName(key), error: errorName(error) })
    })
    return entry
  }

  function forget(): void {
    memory.clear()
    clears += 1
  }

  return { held, restore, takeIn, keep, clear: () => store.clear().then(forget), forget }
}

/** Converts a stored answer to an entry; undefined if it is damaged. */
function toCachedReply(
  key: string,
  stored: StoredResponse,
  nowMs: number,
): CachedReply | undefined {
  const bytes = verifyChecksum(key, stored)
  if (!bytes) return undefined
  const fetchedAtMs = stored.fetchedAtMs - (stored.aheadMs ?? 0)
  return { reply: restoreReply(bytes), fetchedAtMs: Math.min(fetchedAtMs, nowMs) }
}

/** Whether the caller's share allows the write. A load outside a request has no caller and is always allowed. */
function isWithinShare(share: StoreShare, { bytes }: Reply, nowMs: number): boolean {
  const request = currentRequest()
  return !request || share.take(request.limitKey, bytes.byteLength, nowMs)
}

/** The operation's name in a cache key, without parameters. */
export function operationName(key: string): string {
  const mark = key.indexOf('?')
  return mark < 0 ? key : key.slice(0, mark)
}

/** An error's name for the log: its code or class, never its text. */
export function errorName(error: unknown): string {
  if (error instanceof Failure) return error.code
  return error instanceof Error ? error.name : 'unknown'
}
