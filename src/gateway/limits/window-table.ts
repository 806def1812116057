import type { StoredWindow } from '../../core/ports.ts'

/** One part of the table: times by key, and which of them changed since `takeChanged`. */
export type Shard = {
  readonly get: (key: string) => number | undefined
  /** Stores a time. Returns false without a change if the key is new and all entries of the shard are still in debt. */
  readonly set: (key: string, atMs: number, nowMs: number) => boolean
  /** Replaces the time of a known key. */
  readonly renew: (key: string, atMs: number) => void
  readonly size: () => number
  readonly sweep: (steps: number, nowMs: number) => void
  /** Appends changed keys that are still in debt to `rows`. Returns the number of visited keys. */
  readonly takeChanged: (rows: StoredWindow[], looksMax: number, nowMs: number) => number
  readonly markChanged: (key: string) => void
  readonly drop: (key: string) => void
  readonly entries: () => IterableIterator<[key: string, atMs: number]>
}

/** A bounded table of times by key. A key whose time has passed counts as absent and makes room for new keys. */
export type WindowTable = {
  readonly shardOf: (key: string) => Shard
  /** Changed keys that are still in debt, after visiting at most `looksMax` keys. */
  readonly takeChanged: (looksMax: number, nowMs: number) => StoredWindow[]
  /** Deletes the passed keys of one shard; each call takes the next shard. */
  readonly sweepNext: (nowMs: number) => void
  readonly size: () => number
  /** Every key with its time, shard by shard. */
  readonly entries: () => Iterable<readonly [key: string, atMs: number]>
}

/**
 * Maximum keys per shard. A Map of a million keys blocks the event loop for 180 to 350 ms when it grows or compacts
 * (measured, Bun 1.4.5). A Map of four thousand keys does not. The limit per shard also stops callers from overfilling
 * one shard with chosen keys.
 */
const SHARD_KEYS = 4096

/** Entries visited per new key. Two are enough to delete passed keys as fast as new keys arrive; a full shard visits more. */
const SWEEP_STEPS = 2
const SWEEP_STEPS_FULL = 16

/** Creates a table of at most `keysMax` keys. Keys spread unevenly, so a shard can be full slightly before the table is. */
export function createWindowTable(keysMax: number): WindowTable {
  const shardCount = 2 ** Math.max(0, Math.ceil(Math.log2(keysMax / SHARD_KEYS)))
  const first = createShard(Math.floor(keysMax / shardCount))
  const shards = [first]
  while (shards.length < shardCount) shards.push(createShard(Math.floor(keysMax / shardCount)))
  let takeAt = 0
  let sweepAt = 0

  function takeChanged(looksMax: number, nowMs: number): StoredWindow[] {
    const rows: StoredWindow[] = []
    let looks = 0
    for (let turn = 0; turn < shardCount && looks < looksMax; turn += 1) {
      looks += shards[takeAt]?.takeChanged(rows, looksMax - looks, nowMs) ?? 0
      // The next call starts with the following shard, which has waited too, even if this shard still has changed keys.
      takeAt = (takeAt + 1) % shardCount
    }
    return rows
  }

  function sweepNext(nowMs: number): void {
    shards[sweepAt]?.sweep(SHARD_KEYS, nowMs)
    sweepAt = (sweepAt + 1) % shardCount
  }

  return {
    shardOf: (key) => shards[hash(key) & (shardCount - 1)] ?? first,
    takeChanged,
    sweepNext,
    size: () => shards.reduce((sum, shard) => sum + shard.size(), 0),
    entries: function* entries() {
      for (const shard of shards) yield* shard.entries()
    },
  }
}

function createShard(keysMax: number): Shard {
  const times = new Map<string, number>()
  const changed = new Set<string>()
  let cursor = times.keys()

  function set(key: string, atMs: number, nowMs: number): boolean {
    if (!times.has(key) && !hasRoom(nowMs)) return false
    renew(key, atMs)
    return true
  }

  function renew(key: string, atMs: number): void {
    times.set(key, atMs)
    changed.add(key)
  }

  function hasRoom(nowMs: number): boolean {
    sweep(times.size < keysMax ? SWEEP_STEPS : SWEEP_STEPS_FULL, nowMs)
    return times.size < keysMax
  }

  function sweep(steps: number, nowMs: number): void {
    for (let step = 0; step < steps; step += 1) {
      const { value: key, done } = cursor.next()
      if (done) cursor = times.keys()
      else if ((times.get(key) ?? 0) <= nowMs) {
        times.delete(key)
        changed.delete(key)
      }
    }
  }

  function takeChanged(rows: StoredWindow[], looksMax: number, nowMs: number): number {
    let looks = 0
    for (const key of changed) {
      if (looks >= looksMax) break
      looks += 1
      changed.delete(key)
      const atMs = times.get(key) ?? 0
      if (atMs > nowMs) rows.push({ key, atMs })
    }
    return looks
  }

  return {
    get: (key) => times.get(key),
    set,
    renew,
    size: () => times.size,
    sweep,
    takeChanged,
    markChanged: (key) => changed.add(key),
    drop: (key) => {
      times.delete(key)
      changed.delete(key)
    },
    entries: () => times.entries(),
  }
}

/** FNV-1a over UTF-16 units with the finish of MurmurHash3: without it, the low bits of addresses collide. */
function hash(key: string): number {
  let state = 0x811c9dc5
  for (let at = 0; at < key.length; at += 1) {
    state = Math.imul(state ^ key.charCodeAt(at), 0x01000193)
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}
