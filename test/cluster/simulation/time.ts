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
      for (;;) {
        await settled()
        const next = waiting[0]
        if (!next || next.atMs > untilMs) break
        waiting.shift()
        nowMs = Math.max(nowMs, next.atMs)
        next.resolve()
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

/** Promises that go on one after the other at one moment. A longer chain goes on at the next moment, the same in every run. */
const HOPS = 16

/** Returns when every promise that could go on has gone on. A turn of the event loop would take ten times as long. */
async function settled(): Promise<void> {
  for (let hop = 0; hop < HOPS; hop += 1) await null
}
