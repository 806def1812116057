import type { Exact } from '../../src/pages/common/exact-json.ts'
import { createBudget } from '../../src/pages/trade/feed/budget.ts'
import type { LiveUpdates } from '../../src/pages/trade/feed/feed.ts'
import { createLiveConnection } from '../../src/pages/trade/feed/live.ts'
import type { WireEvents } from '../../src/pages/trade/feed/live-state.ts'
import { createPolling } from '../../src/pages/trade/feed/polling.ts'
import { browserWindows } from '../../src/pages/trade/feed/windows.ts'

/** A page's feed whose time, answers and WebSocket a test controls. */
export function openFeed() {
  let nowMs = 1_800_000_000_000
  let isHidden = false
  const due: { atMs: number; work: () => void }[] = []
  const loads: string[] = []
  const wires: { events: WireEvents; sent: Record<string, unknown>[]; isClosed: boolean }[] = []
  const world = {
    nowMs: () => nowMs,
    isHidden: () => isHidden,
    after: (ms: number, work: () => void) => {
      const row = { atMs: nowMs + ms, work }
      due.push(row)
      return () => void due.splice(due.indexOf(row) >>> 0, 1)
    },
  }
  const feed = createPolling({ ...world, budget: createBudget(), windows: browserWindows() })
  const source = createLiveConnection({
    ...world,
    random: () => 0,
    onServerTime: () => undefined,
    openWire: (events) => {
      const wire = { events, sent: [] as Record<string, unknown>[], isClosed: false }
      wires.push(wire)
      return {
        send: (message) => wire.sent.push({ ...message }),
        close: () => {
          wire.isClosed = true
          events.onEnd()
        },
      }
    },
  })
  feed.pushFrom(source)
  const last = () => wires.at(-1)
  return {
    feed,
    source,
    wires,
    loads,
    hide: (hidden: boolean) => {
      isHidden = hidden
      feed.wake()
      source.look()
    },
    watch: (name: string, live: LiveUpdates, read: Exact = 'read') =>
      feed.watch({
        ...{ name, everyMs: 1000, policy: 'read', live },
        load: async () => {
          loads.push(name)
          return read
        },
      }),
    open: () => last()?.events.onOpen(),
    receive: (message: Exact) => last()?.events.onMessage(message),
    publish: (topic: string, type: string, seq: number, data: Exact, epoch = 'a') =>
      last()?.events.onMessage({ topic, type, seq: String(seq), epoch, ts: String(nowMs), data }),
    sent: (op: string) => last()?.sent.filter((message) => message['op'] === op) ?? [],
    pass: async (ms: number) => {
      const endMs = nowMs + ms
      for (;;) {
        await settled()
        const next = due.toSorted((a, b) => a.atMs - b.atMs)[0]
        if (!next || next.atMs > endMs) break
        due.splice(due.indexOf(next), 1)
        nowMs = Math.max(nowMs, next.atMs)
        next.work()
      }
      nowMs = endMs
      await settled()
    },
  }
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 12; turns += 1) await Promise.resolve()
}
