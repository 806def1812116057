import type { TopicAnswer } from './feed.ts'

/** The means by which the windows of one browser share their reads. */
export type BrowserWindows = {
  /** Runs a read of a topic while no other window reads the same topic. */
  readonly alone: <T>(name: string, read: () => Promise<T>) => Promise<T>
  /** Sends an answer to every other window. */
  readonly publish: (name: string, answer: TopicAnswer) => void
  /** Receives the answers of other windows. */
  readonly listen: (receive: (name: string, answer: TopicAnswer) => void) => void
}

/** A window that shares nothing. */
const UNSHARED_WINDOW: BrowserWindows = {
  alone: (_, read) => read(),
  publish: () => undefined,
  listen: () => undefined,
}

/** Maximum wait for a lock. It is longer than any call takes, so a window that holds a lock longer is stuck. */
const LOCKED_MAX_MS = 30_000

/**
 * Lets the windows of this browser share reads. Without Web Locks or BroadcastChannel, each window reads separately.
 */
export function browserWindows(): BrowserWindows {
  if (typeof BroadcastChannel === 'undefined' || !navigator.locks) return UNSHARED_WINDOW
  const channel = new BroadcastChannel('reads')
  return {
    alone: async (name, read) => {
      const signal = AbortSignal.timeout(LOCKED_MAX_MS)
      let begun: ReturnType<typeof read> | undefined
      const once = () => (begun ??= read())
      try {
        return await navigator.locks.request(name, { signal }, once)
      } catch (error) {
        // A failure of this window's own read is thrown. If the lock was never granted, the window reads without the
        // lock.
        if (begun) throw error
        return once()
      }
    },
    publish: (name, answer) => channel.postMessage({ name, answer }),
    listen: (receive) => {
      channel.onmessage = ({ data }) => receive(data.name, data.answer)
    },
  }
}
