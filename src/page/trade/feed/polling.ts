import type { Feed, Topic, Watch } from './feed.ts'
import { createLine, type Line, type LineParts } from './line.ts'

/** A feed that asks again and again: within the rate limits, slower after failures, and not at all while nobody looks. */
export function createPolling(parts: LineParts): Feed & { readonly wake: () => void } {
  const lines = new Map<string, { readonly line: Line; watchers: number }>()

  function open(topic: Topic) {
    const opened = { line: createLine(topic, parts), watchers: 0 }
    lines.set(topic.name, opened)
    opened.line.run()
    return opened
  }

  function watch(topic: Topic): Watch {
    const shared = lines.get(topic.name) ?? open(topic)
    const { line } = shared
    shared.watchers += 1
    let isWatching = true
    return {
      reading: line.reading,
      refresh: line.run,
      stop: () => {
        if (!isWatching) return
        isWatching = false
        shared.watchers -= 1
        if (shared.watchers > 0) return
        line.stop()
        lines.delete(topic.name)
      },
    }
  }

  return {
    watch,
    refresh: (prefix) => {
      for (const [name, { line }] of lines) if (name.startsWith(prefix)) line.run()
    },
    wake: () => {
      for (const { line } of lines.values()) line.wake()
    },
  }
}
