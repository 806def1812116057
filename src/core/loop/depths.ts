/** A counter per name. The cost of a call grows with the logarithm of the counts, independent of the number of names. */
export type Depths = {
  /** The count of a name; 0 if it was never counted. */
  readonly at: (name: string) => number
  readonly count: (name: string, added: 1 | -1) => void
  /** The sum of all counts, each capped at `depthMax`. */
  readonly sumTo: (depthMax: number) => number
  /**
   * The name with the highest count. If several names have this count, the name that has had it longest. Null without
   * names.
   */
  readonly deepest: () => string | null
}

/** Creates an empty counter. */
export function createDepths(): Depths {
  const entries = new Map<string, { readonly depth: number; readonly entry: ListEntry<string> }>()
  /** By count: the names with this count. */
  const names: List<string>[] = []
  /** By count: the number of names with at least this count. */
  const reaching = createSums()
  let most = 0

  const at = (name: string) => entries.get(name)?.depth ?? 0
  const listAt = (depth: number): List<string> => {
    names[depth] ??= createList()
    return names[depth]
  }

  function count(name: string, added: 1 | -1): void {
    const known = entries.get(name)
    const from = known?.depth ?? 0
    const depth = from + added
    if (known) listAt(from).remove(known.entry)
    if (depth > 0) entries.set(name, { depth, entry: listAt(depth).add(name) })
    else entries.delete(name)
    reaching.add(Math.max(from, depth), added)
    // If the only name with the highest count decreases, its new count is the highest.
    if (depth > most || (from === most && !listAt(most).first())) most = depth
  }

  return {
    ...{ at, count, sumTo: reaching.upTo },
    deepest: () => (most === 0 ? null : (listAt(most).first()?.item ?? null)),
  }
}

/** A Fenwick tree: values at positions 1, 2, 3 and so on, initially 0, with fast prefix sums. */
function createSums() {
  const tree = [0]
  const step = (at: number) => at & -at
  const between = (above: number, to: number): number => {
    let sum = 0
    for (let at = to; at > above; at -= step(at)) sum += tree[at] ?? 0
    return sum
  }
  return {
    add: (first: number, added: number): void => {
      for (let at = tree.length; at <= first; at += 1) tree.push(between(at - step(at), at - 1))
      for (let at = first; at < tree.length; at += step(at)) tree[at] = (tree[at] ?? 0) + added
    },
    upTo: (last: number): number => between(0, Math.min(last, tree.length - 1)),
  }
}

/** An entry of a doubly linked list. */
export type ListEntry<Item> = {
  readonly item: Item
  before: ListEntry<Item> | null
  next: ListEntry<Item> | null
}

/** A doubly linked list in insertion order. Each call takes constant time. */
export type List<Item> = {
  readonly first: () => ListEntry<Item> | null
  readonly last: () => ListEntry<Item> | null
  readonly add: (item: Item) => ListEntry<Item>
  /** Removes an entry, which has to be in this list. */
  readonly remove: (entry: ListEntry<Item>) => void
}

/** An empty list. */
export function createList<Item>(): List<Item> {
  let first: ListEntry<Item> | null = null
  let last: ListEntry<Item> | null = null
  return {
    first: () => first,
    last: () => last,
    add: (item) => {
      const entry: ListEntry<Item> = { item, before: last, next: null }
      if (last) last.next = entry
      else first = entry
      last = entry
      return entry
    },
    remove: ({ before, next }) => {
      if (before) before.next = next
      else first = next
      if (next) next.before = before
      else last = before
    },
  }
}
