import type { TopicAnswer } from './feed.ts'

/** How the windows of one browser share what they read. */
export type BrowserWindows = {
  /** Runs a read of a topic while no other window reads the same topic. */
  readonly alone: <T>(name: string, read: () => Promise<T>) => Promise<T>
  /** Gives an answer to every other window. */
  readonly publish: (name: string, answer: TopicAnswer) => void
  /** Receives the answers of other windows. */
  readonly listen: (receive: (name: string, answer: TopicAnswer) => void) => void
}

/** A window that shares nothing. */
const ALONE: BrowserWindows = {
  alone: (_, read) => read(),
  publish: () => undefined,
  listen: () => undefined,
}

/** Longer than any call may take: a window that holds a lock for longer is stuck. */
const LOCKED_MAX_MS = 30_000

/** The windows of this browser; without locks and channels each reads for itself. */
export function browserWindows(): BrowserWindows {
  if (typeof BroadcastChannel === 'undefined' || !navigator.locks) return ALONE
  const channel = new BroadcastChannel('reads')
  return {
    alone: async (name, read) => {
      const signal = AbortSignal.timeout(LOCKED_MAX_MS)
      let begun: ReturnType<typeof read> | undefined
      const once = () => (begun ??= read())
      try {
        return await navigator.locks.request(name, { signal }, once)
      } catch (error) {
        // A failed read of this window is an error. If the lock never came, the window reads without it.
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
