import type { StoredWindow } from '../../core/ports.ts'

/** One part of the table: arrival times by key, and the keys that changed since the last `takeChanged`. */
export type Shard = Readonly<ReturnType<typeof createShard>>

/** Arrival times by key, bounded: a key whose time is past counts as absent, and new keys replace it. */
export type WindowTable = Readonly<ReturnType<typeof createWindowTable>>

/**
 * Maximum keys per shard. A Map of a million keys blocks the event loop for 180 to 350 ms when it grows or compacts
 * (measured, Bun 1.4.5). A Map of four thousand keys does not. The limit per shard also stops callers from overfilling
 * one shard with chosen keys.
 */
const SHARD_KEYS = 4096

/** Entries visited per new key. Two are enough to delete passed keys as fast as new keys arrive; a full shard visits more. */
const SWEEP_STEPS = 2
const SWEEP_STEPS_FULL = 16

/** A table of at most `keysMax` keys, spread over shards. A shard can be full while other shards have room. */
export function createWindowTable(keysMax: number) {
  const shardCount = 2 ** Math.max(0, Math.ceil(Math.log2(keysMax / SHARD_KEYS)))
  const first = createShard(Math.floor(keysMax / shardCount))
  const shards = [first]
  while (shards.length < shardCount) shards.push(createShard(Math.floor(keysMax / shardCount)))
  let takeAt = 0
  let sweepAt = 0

  /** The changed keys that are still in debt, among at most `looksMax` inspected keys. */
  function takeChanged(looksMax: number, nowMs: number): StoredWindow[] {
    const rows: StoredWindow[] = []
    let looks = 0
    for (let turn = 0; turn < shardCount && looks < looksMax; turn += 1) {
      looks += shards[takeAt]?.takeChanged(rows, looksMax - looks, nowMs) ?? 0
      // The next call starts with the following shard, even if this shard still has changed keys, so that every shard
      // has its turn.
      takeAt = (takeAt + 1) % shardCount
    }
    return rows
  }

  /** Deletes keys whose time is past from the next shard. As many calls as there are shards cover the whole table. */
  function sweepNext(nowMs: number): void {
    shards[sweepAt]?.sweep(SHARD_KEYS, nowMs)
    sweepAt = (sweepAt + 1) % shardCount
  }

  return {
    shardOf: (key: string): Shard => shards[hash(key) & (shardCount - 1)] ?? first,
    takeChanged,
    sweepNext,
    size: () => shards.reduce((sum, shard) => sum + shard.size(), 0),
    /** Every key with its time, shard by shard. */
    entries: function* entries() {
      for (const shard of shards) yield* shard.entries()
    },
  }
}

function createShard(keysMax: number) {
  const times = new Map<string, number>()
  const changed = new Set<string>()
  let cursor = times.keys()

  /** Remembers a time. Returns false, without a change, for a new key while keys in debt fill the shard. */
  function set(key: string, atMs: number, nowMs: number): boolean {
    if (!times.has(key) && !hasRoom(nowMs)) return false
    renew(key, atMs)
    return true
  }

  /** Replaces the time of a known key. */
  function renew(key: string, atMs: number): void {
    times.set(key, atMs)
    changed.add(key)
  }

  function hasRoom(nowMs: number): boolean {
    sweep(times.size < keysMax ? SWEEP_STEPS : SWEEP_STEPS_FULL, nowMs)
    return times.size < keysMax
  }

  function sweep(steps: number, nowMs: number): void {
    for (let left = Math.min(steps, times.size + 1); left > 0; left -= 1) {
      const { value: key, done } = cursor.next()
      if (done) cursor = times.keys()
      else if ((times.get(key) ?? 0) <= nowMs) {
        times.delete(key)
        changed.delete(key)
      }
    }
  }

  /** Moves changed keys still in debt to `rows`; returns the number of inspected keys. */
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
    get: (key: string) => times.get(key),
    set,
    renew,
    size: () => times.size,
    sweep,
    takeChanged,
    markChanged: (key: string) => changed.add(key),
    drop: (key: string) => {
      times.delete(key)
      changed.delete(key)
    },
    entries: () => times.entries(),
  }
}

/**
 * FNV-1a over UTF-16 units with the final mixing of MurmurHash3. Without the mixing, the low bits of addresses collide.
 */
function hash(key: string): number {
  let state = 0x811c9dc5
  for (let at = 0; at < key.length; at += 1) {
    state = Math.imul(state ^ key.charCodeAt(at), 0x01000193)
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}
