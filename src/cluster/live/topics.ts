import type { FeedMessage, FeedSink } from '../../core/feed.ts'
import { afterThis } from '../../core/loop/guarded.ts'

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
    /** Adds a listener. Returns whether it is the first one of its topic. */
    add: (name: string, sink: FeedSink): boolean => {
      const topic = topics.get(name) ?? { sinks: new Set(), isOpen: false }
      topics.set(name, topic)
      topic.sinks.add(sink)
      if (topic.isOpen) afterThis('upstream', sink.opened)
      return topic.sinks.size === 1
    },
    /** Removes a listener. Returns whether it was the last one of its topic. */
    drop: (name: string, sink: FeedSink): boolean => {
      const topic = topics.get(name)
      if (!topic?.sinks.delete(sink) || topic.sinks.size > 0) return false
      return topics.delete(name)
    },
    has: (name: string) => topics.has(name),
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
