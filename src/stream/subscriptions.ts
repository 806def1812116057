/** A topic by its name, and the group of its subscribers. */
export type SubscribedTopic = { readonly name: string; readonly group: string }

/** The topics of a connection in the order it asked for them; connections that asked for the same ones share one. */
export type Subscriptions = {
  readonly topics: readonly SubscribedTopic[]
  /** What asking for one more leads to, by its group. */
  readonly next: Map<string, Subscriptions>
}

/** Keeps the lists of subscriptions, once each: there are thousands of connections, and few lists. */
export type SubscriptionLists = {
  readonly none: () => Subscriptions
  readonly with: (subscriptions: Subscriptions, topic: SubscribedTopic) => Subscriptions
  readonly without: (subscriptions: Subscriptions, name: string) => Subscriptions
}

/** Lists that are shared; past this many it begins anew, and those in use stay with who uses them. */
const LISTS_MAX = 4096

export function createSubscriptionLists(): SubscriptionLists {
  let none = listOf([])
  let made = 0

  function grown(subscriptions: Subscriptions, { name, group }: SubscribedTopic): Subscriptions {
    const known = subscriptions.next.get(group)
    if (known) return known
    made += 1
    if (made % LISTS_MAX === 0) none = listOf([])
    const list = listOf([...subscriptions.topics, { name, group }])
    subscriptions.next.set(group, list)
    return list
  }

  return {
    none: () => none,
    with: grown,
    without: (subscriptions, name) =>
      subscriptions.topics.filter((topic) => topic.name !== name).reduce(grown, none),
  }
}

function listOf(topics: readonly SubscribedTopic[]): Subscriptions {
  return { topics, next: new Map() }
}
