/*
 * Replaces `lru-cache`, which with a weight bound allocates memory for the maximum number of entries at once. Measured
 * for 50 empty maps of 1,024 entries: `lru-cache` 2.0 MB, this map 0.03 MB (version 10.4.3 on Bun 1.4.5). Both read and
 * write equally fast.
 */

/** A map with a bound. The entry whose last `put` or `renew` is oldest is evicted first. */
export type BoundedMap<Key, Value> = {
  readonly get: (key: Key) => Value | undefined
  /**
   * Puts an entry as the newest and replaces the entry with the same key. Evicts the oldest entries while the total
   * exceeds the bound. An entry heavier than the bound is ignored.
   */
  readonly put: (key: Key, value: Value, weight?: number) => void
  /** Makes an existing entry the newest. */
  readonly renew: (key: Key) => void
  readonly drop: (key: Key) => void
  /** Drops everything. */
  readonly clear: () => void
  /** The total weight of the entries. */
  readonly weight: () => number
  /** The entries, oldest first. Entries may be dropped during the iteration. */
  readonly entries: () => Iterable<readonly [Key, Value]>
}

/**
 * Number of drops or moves after which the iterator over the oldest entries restarts. A restart steps over all deleted
 * slots: 28 us per put if every put restarts (30,000 entries, Bun 1.4.5). An iterator that never restarts keeps the
 * deleted slots in memory.
 */
const WALK_ENTRIES = 1024

/** A map with a maximum total weight of `weightMax`. An entry weighs 1 by default. */
export function createBoundedMap<Key, Value>(weightMax: number): BoundedMap<Key, Value> {
  const slots = new Map<Key, { readonly value: Value; readonly weight: number }>()
  let weight = 0
  let oldest: Iterator<Key> | null = null
  let gone = 0

  function drop(key: Key): void {
    weight -= slots.get(key)?.weight ?? 0
    remove(key)
  }

  function remove(key: Key): void {
    if (slots.delete(key)) gone += 1
    if (gone >= WALK_ENTRIES) walkAnew()
  }

  function walkAnew(): void {
    oldest = null
    gone = 0
  }

  function dropOldest(): void {
    oldest ??= slots.keys()
    const { value, done } = oldest.next()
    if (done) walkAnew()
    else drop(value)
  }

  function put(key: Key, value: Value, own = 1): void {
    drop(key)
    if (own > weightMax) return
    slots.set(key, { value, weight: own })
    weight += own
    while (weight > weightMax) dropOldest()
  }

  function renew(key: Key): void {
    const slot = slots.get(key)
    if (!slot) return
    remove(key)
    slots.set(key, slot)
  }

  function clear(): void {
    slots.clear()
    walkAnew()
    weight = 0
  }

  function* entries(): Iterable<readonly [Key, Value]> {
    for (const [key, { value }] of slots) yield [key, value]
  }

  const get = (key: Key) => slots.get(key)?.value
  return { get, put, renew, drop, clear, weight: () => weight, entries }
}
