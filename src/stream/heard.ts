/** A topic by its name, and the group of those who hear it. */
export type HeardTopic = { readonly name: string; readonly group: string }

/** The topics of a connection in the order it asked for them; connections that asked for the same ones share one. */
export type Heard = {
  readonly topics: readonly HeardTopic[]
  /** What asking for one more leads to, by its group. */
  readonly next: Map<string, Heard>
}

/** Keeps the lists that connections hear, once each: there are thousands of connections, and few lists. */
export type HeardLists = {
  readonly none: () => Heard
  readonly with: (heard: Heard, topic: HeardTopic) => Heard
  readonly without: (heard: Heard, name: string) => Heard
}

/** Lists that are shared; past this many it begins anew, and those in use stay with who uses them. */
const LISTS_MAX = 4096

export function createHeardLists(): HeardLists {
  let none = listOf([])
  let made = 0

  function grown(heard: Heard, { name, group }: HeardTopic): Heard {
    const known = heard.next.get(group)
    if (known) return known
    made += 1
    if (made % LISTS_MAX === 0) none = listOf([])
    const list = listOf([...heard.topics, { name, group }])
    heard.next.set(group, list)
    return list
  }

  return {
    none: () => none,
    with: grown,
    without: (heard, name) =>
      heard.topics.filter((topic) => topic.name !== name).reduce(grown, none),
  }
}

function listOf(topics: readonly HeardTopic[]): Heard {
  return { topics, next: new Map() }
}
