import type { Exact } from '../../common/exact-json.ts'
import type { FeedTopic, TopicWatch } from './feed.ts'
import { createTopicLine, type TopicLine } from './line.ts'
import type { PollingEnvironment } from './line-state.ts'

/** Live data for lines that would otherwise be polled. */
export type PushSource = {
  readonly follow: (line: TopicLine) => void
  readonly leave: (line: TopicLine) => void
}

/**
 * Creates the only source of data for views. It polls within the rate limits, slower after failures, and only while the
 * page is visible.
 */
export function createPolling(parts: PollingEnvironment) {
  const lines = new Map<string, { readonly line: TopicLine; watchers: number }>()
  let source: PushSource | null = null
  parts.windows.listen((name, answer) => lines.get(name)?.line.receive(answer))

  function open(topic: FeedTopic) {
    const opened = { line: createTopicLine(topic, parts), watchers: 0 }
    lines.set(topic.name, opened)
    opened.line.start()
    source?.follow(opened.line)
    return opened
  }

  function close({ line }: { readonly line: TopicLine }): void {
    line.stop()
    lines.delete(line.topic.name)
    source?.leave(line)
  }

  /** Follows a topic. All watchers of a name share the answers. The shortest interval of these watchers is used. */
  function watch(topic: FeedTopic): TopicWatch {
    const shared = lines.get(topic.name) ?? open(topic)
    shared.line.speedUp(topic.everyMs)
    shared.watchers += 1
    let isWatching = true
    return {
      reading: shared.line.reading,
      stop: () => {
        if (!isWatching) return
        isWatching = false
        shared.watchers -= 1
        if (shared.watchers === 0) close(shared)
      },
    }
  }

  return {
    watch,
    /** Reads every topic whose name starts with `prefix` now. */
    refresh: (prefix: string) => {
      for (const [name, { line }] of lines) if (name.startsWith(prefix)) line.run()
    },
    /** Calls `refresh` after a short delay, so that several requests become one read. */
    want: (prefix: string) => {
      for (const [name, { line }] of lines) if (name.startsWith(prefix)) line.want()
    },
    /** An answer requested at `sinceMs` or later; null if the topic is not followed or the read fails. */
    latest: async (name: string, sinceMs: number): Promise<Exact | null> =>
      (await lines.get(name)?.line.latest(sinceMs)) ?? null,
    /** Shows rows that are newer than the last answer of a topic. */
    patch: (name: string, live: string, rows: readonly Exact[]) =>
      lines.get(name)?.line.patch(live, rows),
    wake: () => {
      for (const { line } of lines.values()) line.wake()
    },
    /** Takes live data from this source from now on; topics without live data are polled. */
    pushFrom: (next: PushSource) => {
      source = next
      for (const { line } of lines.values()) next.follow(line)
    },
  }
}
