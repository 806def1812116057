import { drainMicrotasks } from 'bun:jsc'

/** Virtual time: nothing happens between two moments, and what waits for the same moment happens in the order in which it began to wait. */
export type VirtualTime = {
  readonly nowMs: () => number
  readonly delay: (ms: number) => Promise<void>
  /** Lets everything happen that is due until a moment. */
  readonly runUntil: (untilMs: number) => Promise<void>
  /** Lets time pass in which nothing happens: what was due then happens afterwards. */
  readonly jump: (ms: number) => void
}

type Waiting = { readonly atMs: number; readonly order: number; readonly resolve: () => void }

export function createTime(): VirtualTime {
  const waiting: Waiting[] = []
  let nowMs = 0
  let order = 0

  function add(entry: Waiting): void {
    let at = waiting.length
    while (at > 0 && isBefore(entry, waiting[at - 1])) at -= 1
    waiting.splice(at, 0, entry)
  }

  return {
    nowMs: () => nowMs,
    delay: (ms) =>
      new Promise((resolve) => {
        order += 1
        add({ atMs: nowMs + Math.max(0, ms), order, resolve })
      }),
    runUntil: async (untilMs) => {
      drainMicrotasks()
      for (let next = waiting[0]; next && next.atMs <= untilMs; next = waiting[0]) {
        waiting.shift()
        nowMs = Math.max(nowMs, next.atMs)
        next.resolve()
        drainMicrotasks()
      }
      nowMs = untilMs
    },
    jump: (ms) => {
      nowMs += ms
    },
  }
}

function isBefore(entry: Waiting, other: Waiting | undefined): boolean {
  return other !== undefined && entry.atMs < other.atMs
}
