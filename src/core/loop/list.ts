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
