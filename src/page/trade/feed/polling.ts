import type { Feed, Topic, Watch } from './feed.ts'
import { createLine, type Line, type LineParts } from './line.ts'

/** Somebody who tells lines what they would otherwise ask. */
export type Teller = {
  readonly follow: (line: Line) => void
  readonly leave: (line: Line) => void
}

export type Polling = Feed & {
  readonly wake: () => void
  /** From now on this one tells, wherever it can; what it cannot is asked for. */
  readonly tellBy: (teller: Teller) => void
}

/** A feed that asks again and again: within the rate limits, slower after failures, and not at all while nobody looks. */
export function createPolling(parts: LineParts): Polling {
  const lines = new Map<string, { readonly line: Line; watchers: number }>()
  let teller: Teller | null = null

  function open(topic: Topic) {
    const opened = { line: createLine(topic, parts), watchers: 0 }
    lines.set(topic.name, opened)
    opened.line.start()
    teller?.follow(opened.line)
    return opened
  }

  function close({ line }: { readonly line: Line }): void {
    line.stop()
    lines.delete(line.topic.name)
    teller?.leave(line)
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
        if (shared.watchers === 0) close(shared)
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
    tellBy: (next) => {
      teller = next
      for (const { line } of lines.values()) next.follow(line)
    },
  }
}
