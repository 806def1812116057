import { Failure } from '../core/failure.ts'
import { currentVisit } from '../core/observing/visit.ts'
import type { Clock, Log, Store } from '../core/ports.ts'
import { type Reply, restoreReply } from '../scrub/reply.ts'
import { LIMITS } from '../spec/limits.ts'
import { createDiskShare, type DiskShare } from './disk-share.ts'
import { createReplyMemory, type Entry } from './memory.ts'
import { sealed, unsealed } from './seal.ts'

/** Kept answers: in memory while there is room, and in the store, whose troubles cost a load and never an answer. */
export type ReplyShelf = {
  /** The entry in memory. */
  readonly held: (key: string, nowMs: number) => Entry | undefined
  /** The store's entry, which then is in memory; the one in memory, where there is one by then. */
  readonly restore: (key: string) => Promise<Entry | undefined>
  /**
   * Keeps an answer loaded now, for as long as it can be of use: in the store where that is long enough, and within
   * the share of whom it was loaded for.
   */
  readonly keep: (key: string, reply: Reply, usefulMs: number) => Entry
  /** Forgets everything, in memory and in the store. Throws what the store throws; then nothing is forgotten. */
  readonly clear: () => Promise<void>
}

type Parts = {
  /** What answers age by. */
  readonly clock: Clock
  /** What the store forgets by, where that is another. */
  readonly wallClock?: Clock
  readonly store: Pick<Store['responses'], 'get' | 'put' | 'clear'>
  readonly memoryMaxBytes: number
  readonly log: Log
}

/** The shelf. Keys are `operation?parameters`; only the part before `?` is ever logged. */
export function createReplyShelf(parts: Parts): ReplyShelf {
  const { clock, wallClock = clock, store, memoryMaxBytes, log } = parts
  const memory = createReplyMemory(memoryMaxBytes)
  const share = createDiskShare()
  let clears = 0

  function held(key: string, nowMs: number): Entry | undefined {
    const entry = memory.get(key, nowMs)
    // The clock went back: the answer starts over at no age, rather than staying fresh for hours.
    if (entry && entry.fetchedAtMs > nowMs) entry.fetchedAtMs = nowMs
    return entry
  }

  async function restore(key: string): Promise<Entry | undefined> {
    try {
      const clearsBefore = clears
      const stored = await store.get(key)
      // What was read before everything was forgotten is forgotten too.
      if (clears !== clearsBefore) return undefined
      const nowMs = clock.nowMs()
      // What was loaded meanwhile is newer.
      const loaded = held(key, nowMs)
      if (loaded || !stored) return loaded
      const fetchedAtMs = Math.min(stored.fetchedAtMs, nowMs)
      const bytes = unsealed(key, stored)
      if (!bytes) {
        log.warn('cache.store_damaged', { operation: operationOf(key) })
        return undefined
      }
      const entry = { reply: restoreReply(bytes), fetchedAtMs }
      memory.put(key, entry, nowMs)
      return entry
    } catch (error) {
      log.warn('cache.store_unreadable', { operation: operationOf(key), error: nameOf(error) })
      return undefined
    }
  }

  function keep(key: string, reply: Reply, usefulMs: number): Entry {
    const fetchedAtMs = clock.nowMs()
    const entry = { reply, fetchedAtMs }
    memory.put(key, entry, fetchedAtMs)
    if (!isWritten(share, reply, usefulMs, wallClock.nowMs())) return entry
    store
      .put(key, sealed(key, { bytes: reply.bytes, fetchedAtMs }), wallClock.nowMs() + usefulMs)
      .catch((error: unknown) => {
        log.warn('cache.store_unwritable', { operation: operationOf(key), error: nameOf(error) })
      })
    return entry
  }

  async function clear(): Promise<void> {
    await store.clear()
    memory.clear()
    clears += 1
  }

  return { held, restore, keep, clear }
}

/** Whether an answer lives long enough, and its caller has share enough; what nobody asked for has no caller. */
function isWritten(share: DiskShare, { bytes }: Reply, usefulMs: number, nowMs: number): boolean {
  if (usefulMs < LIMITS.cacheDiskLifeMinMs) return false
  const visit = currentVisit()
  return !visit || share.take(visit.limitKey, bytes.byteLength, nowMs)
}

/** The part of a cache key that names no caller. */
export function operationOf(key: string): string {
  const mark = key.indexOf('?')
  return mark < 0 ? key : key.slice(0, mark)
}

/** What a log may say of an error: its code or its class, never its text. */
export function nameOf(error: unknown): string {
  if (error instanceof Failure) return error.code
  return error instanceof Error ? error.name : 'unknown'
}
