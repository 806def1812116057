import { CLUSTER_FEED } from '../../contract/engines/valkey.ts'
import type { Feed, FeedMessage, FeedSink } from '../../core/feed.ts'
import { inMicrotask } from '../../core/loop/guarded.ts'
import type { FeedEvent } from './wire.ts'

/** Topics that followers listen to. A topic expires unless a follower keeps requesting it. */
export function createFollowerTopics(monotonicMs: () => number) {
  const untilMs = new Map<string, number>()
  return {
    has: (name: string) => untilMs.has(name),
    names: () => [...untilMs.keys()],
    add: (names: readonly string[]): void => {
      for (const name of names)
        if (untilMs.has(name) || untilMs.size < CLUSTER_FEED.topicsMax)
          untilMs.set(name, monotonicMs() + CLUSTER_FEED.leadMs)
    },
    /** Removes and returns the expired topics. */
    expire: (): readonly string[] =>
      [...untilMs].flatMap(([name, until]) =>
        until <= monotonicMs() && untilMs.delete(name) ? [name] : [],
      ),
    clear: () => untilMs.clear(),
  }
}

/** A subscription at the venue. `isOpen`: the venue has accepted the subscription. */
type Held = { end: () => void; isOpen: boolean }

/** This instance's subscriptions at the venue. `take` receives each event of a subscription. */
export function createVenueSubscriptions(
  own: Pick<Feed, 'subscribe'>,
  take: (event: FeedEvent) => void,
) {
  const held = new Map<string, Held>()

  function hold(name: string): void {
    const one: Held = { end: () => undefined, isOpen: false }
    held.set(name, one)
    const turned = (kind: 'opened' | 'lost') => () => {
      one.isOpen = kind === 'opened'
      take({ kind, subject: name })
    }
    one.end = own.subscribe(name, {
      message: (message) => take({ kind: 'message', message }),
      opened: turned('opened'),
      lost: turned('lost'),
    })
  }

  return {
    isOpen: (name: string) => held.get(name)?.isOpen ?? false,
    /** Subscribes to these topics, and ends all others. */
    only: (names: ReadonlySet<string>): void => {
      for (const [name, { end }] of held) {
        if (names.has(name)) continue
        held.delete(name)
        end()
      }
      for (const name of names) if (!held.has(name)) hold(name)
    },
  }
}

type Topic = { readonly sinks: Set<FeedSink>; isOpen: boolean }

/** Topics with listeners on this instance. Their data comes from the leader or from an own connection. */
export type Topics = ReturnType<typeof createTopics>

export function createTopics() {
  const topics = new Map<string, Topic>()

  function lost(name: string): void {
    const topic = topics.get(name)
    if (!topic?.isOpen) return
    topic.isOpen = false
    for (const sink of topic.sinks) sink.lost()
  }

  return {
    /** Adds a listener. Returns whether it is the first listener of its topic. */
    add: (name: string, sink: FeedSink): boolean => {
      const topic = topics.get(name) ?? { sinks: new Set(), isOpen: false }
      topics.set(name, topic)
      topic.sinks.add(sink)
      if (topic.isOpen) inMicrotask('upstream', sink.opened)
      return topic.sinks.size === 1
    },
    /** Removes a listener. Returns whether it was the last listener of its topic. */
    drop: (name: string, sink: FeedSink): boolean => {
      const topic = topics.get(name)
      if (!topic?.sinks.delete(sink) || topic.sinks.size > 0) return false
      return topics.delete(name)
    },
    isOpen: (name: string) => topics.get(name)?.isOpen ?? false,
    names: () => [...topics.keys()],
    deliver: (message: FeedMessage): void => {
      for (const sink of topics.get(message.topic)?.sinks ?? []) sink.message(message)
    },
    opened: (name: string): void => {
      const topic = topics.get(name)
      if (!topic || topic.isOpen) return
      topic.isOpen = true
      for (const sink of topic.sinks) sink.opened()
    },
    lost,
    lostAll: (): void => {
      for (const name of topics.keys()) lost(name)
    },
  }
}
