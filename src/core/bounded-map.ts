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
  /** The sum of what is held. */
  readonly weight: () => number
  /** The oldest first. An entry may be dropped while they are walked. */
  readonly entries: () => Iterable<readonly [Key, Value]>
}

/** A map whose entries weigh at most `weightMax` together: one each, unless `put` says otherwise. */
export function createBoundedMap<Key, Value>(weightMax: number): BoundedMap<Key, Value> {
  const slots = new Map<Key, { readonly value: Value; readonly weight: number }>()
  let weight = 0

  function drop(key: Key): void {
    weight -= slots.get(key)?.weight ?? 0
    slots.delete(key)
  }

  function put(key: Key, value: Value, own = 1): void {
    drop(key)
    if (own > weightMax) return
    slots.set(key, { value, weight: own })
    weight += own
    for (const oldest of slots.keys()) {
      if (weight <= weightMax) return
      drop(oldest)
    }
  }

  function renew(key: Key): void {
    const slot = slots.get(key)
    if (!slot) return
    slots.delete(key)
    slots.set(key, slot)
  }

  function* entries(): Iterable<readonly [Key, Value]> {
    for (const [key, { value }] of slots) yield [key, value]
  }

  return { get: (key) => slots.get(key)?.value, put, renew, drop, weight: () => weight, entries }
}
