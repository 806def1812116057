/*
 * Not `lru-cache`: bounded by weight, it allocates for its most entries at once (50 empty maps of 1,024 take 2.0 MB, these
 * 0.03 MB, version 10.4.3 on Bun 1.4.5), and puts and reads take as long.
 */

/** Entries by key within a bound: those put or renewed longest ago go first. */
export type BoundedMap<Key, Value> = {
  readonly get: (key: Key) => Value | undefined
  /**
   * Puts an entry at the young end, in place of the one with its key, and drops the oldest while all are heavier than
   * the bound. One that is heavier alone is not held, and pushes nothing out.
   */
  readonly put: (key: Key, value: Value, weight?: number) => void
  /** Moves an entry to the young end, if it is there. */
  readonly renew: (key: Key) => void
  readonly drop: (key: Key) => void
  /** Drops everything. */
  readonly clear: () => void
  /** The sum of what is held. */
  readonly weight: () => number
  /** The oldest first. An entry may be dropped while they are walked. */
  readonly entries: () => Iterable<readonly [Key, Value]>
}

/**
 * So many entries are dropped or moved until the way to the oldest is walked from its start again. A walk from there
 * passes all that have gone (28 us a put of thirty thousand entries, Bun 1.4.5), and one that goes on for ever keeps them.
 */
const WALK_ENTRIES = 1024

/** A map whose entries weigh at most `weightMax` together: one each, unless `put` says otherwise. */
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
