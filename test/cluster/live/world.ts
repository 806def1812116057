import { type ClusterFeed, clusterFeed } from '../../../src/cluster/live/cluster.ts'
import { EngineAway } from '../../../src/core/engines/health.ts'
import type { Feed, FeedBus, FeedChannel, FeedSink } from '../../../src/core/feed.ts'
import { UpstreamError } from '../../../src/core/ports.ts'
import { pass as passTimers } from '../../fake-time.ts'

/** How long a lead lasts, and how often it is looked for: as the several instances' page has it. */
const LEASE_MS = 3000
const STEP_MS = 25
const RETRY_MS = 100
export const TOPICS = ['PERP_ETH_USDC@a', 'PERP_BTC_USDC@b'] as const

/** A subscriber that builds a count from a snapshot and the messages after it, as one of an order book does. */
export type Counter = { readonly count: () => number | null; readonly resets: () => number }

/** The way of an instance to Valkey, and what is to happen to the next batches on it. */
type Way = {
  readonly batches: ('lost' | 'twice' | 'late')[]
  isAway: boolean
  isDead: boolean
}

export type Member = {
  readonly feed: ClusterFeed
  readonly counters: readonly Counter[]
  readonly way: Way
}

type Listener = {
  readonly way: Way
  readonly channel: FeedChannel
  readonly take: (text: string) => void
}

/** A venue that counts, a Valkey, and instances between them and counters, on a clock that the test moves. */
export function openCluster() {
  const counts = new Map<string, number>(TOPICS.map((topic) => [topic, 0]))
  /** Subscriptions at the venue, and whether it has taken them. */
  const venue = new Map<FeedSink, { readonly topic: string; isOpen: boolean }>()
  const listeners = new Set<Listener>()
  const problems: string[] = []
  let [nowMs, terms] = [0, 0]
  let lease: { readonly of: Way; readonly term: number; untilMs: number } | null = null
  const countOf = (topic: string) => counts.get(topic) ?? 0

  function accept(sink: FeedSink): void {
    const held = venue.get(sink)
    if (!held) return
    held.isOpen = true
    sink.opened()
  }

  function ownFeed(): Feed {
    const sinks = new Set<FeedSink>()
    return {
      subscribe: (topic, sink) => {
        sinks.add(sink)
        venue.set(sink, { topic, isOpen: false })
        queueMicrotask(() => accept(sink))
        return () => void venue.delete(sink)
      },
      book: async (topic) => ({ topic, atMs: nowMs, data: countOf(topic) }),
      account: null,
      size: () => ({ topics: 0, accounts: 0, malformed: 0 }),
      close: () => {
        for (const sink of sinks) venue.delete(sink)
      },
    }
  }

  function busOf(way: Way): FeedBus {
    const reached = () => {
      if (way.isAway || way.isDead) throw new EngineAway('unreachable')
    }
    return {
      lead: async () => {
        reached()
        if (!lease || lease.untilMs <= nowMs) lease = { of: way, term: ++terms, untilMs: 0 }
        if (lease.of !== way) return null
        lease.untilMs = nowMs + LEASE_MS
        return lease.term
      },
      leader: async () => {
        reached()
        return lease && lease.untilMs > nowMs ? 'an instance' : null
      },
      resign: () => {
        if (lease?.of === way && !way.isAway && !way.isDead) lease = null
      },
      send: async (channel, text) => {
        reached()
        for (const listener of [...listeners])
          if (listener.channel === channel) deliver(listener, text)
      },
      listen: (channel, take) => {
        const listener = { way, channel, take }
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    }
  }

  function deliver(listener: Listener, text: string): void {
    const { way, take } = listener
    if (way.isAway || way.isDead) return
    const fault = way.batches.shift()
    if (fault === 'lost') return
    take(text)
    if (fault === 'twice') take(text)
    const again = () => listeners.has(listener) && !way.isAway && !way.isDead && take(text)
    if (fault === 'late') setTimeout(again, 10 * STEP_MS)
  }

  function start(): Member {
    const way: Way = { batches: [], isAway: false, isDead: false }
    const feed = clusterFeed({ own: ownFeed(), bus: busOf(way), monotonicMs: () => nowMs })
    const problem = (text: string) => void problems.push(text)
    return { feed, way, counters: TOPICS.map((topic) => counter(feed, topic, problem)) }
  }

  return {
    problems,
    start,
    countOf,
    held: (topic: string) => [...venue.values()].filter((held) => held.topic === topic).length,
    publish: (topic: string): void => {
      counts.set(topic, countOf(topic) + 1)
      const message = { topic, atMs: nowMs, data: countOf(topic) }
      for (const [sink, held] of venue)
        if (held.topic === topic && held.isOpen) sink.message(message)
    },
    /** The venue's sockets break, and are back at once. */
    cut: (): void => {
      for (const sink of venue.keys()) {
        sink.lost()
        sink.opened()
      }
    },
    /** Valkey forgets who leads. */
    forget: (): void => {
      lease = null
    },
    pass: async (ms: number): Promise<void> => {
      for (const endMs = nowMs + ms; nowMs < endMs; ) {
        nowMs += STEP_MS
        await passTimers(STEP_MS)
      }
    },
  }
}

/** Counts by a snapshot and what follows it; a number that is skipped is a problem. */
function counter(feed: Feed, topic: string, problem: (text: string) => void): Counter {
  let [isOpen, resets, subscription] = [false, 0, 0]
  let count: number | null = null
  let waiting: number[] = []

  function apply(next: number): void {
    if (count === null) waiting.push(next)
    else if (next === count + 1) count = next
    else if (next > count) problem(`${topic}: ${next} after ${count}`)
  }

  async function snapshot(own: number): Promise<void> {
    const isCurrent = () => isOpen && own === subscription
    try {
      const { data } = await feed.book(topic)
      if (!isCurrent()) return
      count = Number(data)
      resets += 1
      for (const next of waiting.splice(0)) apply(next)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      setTimeout(() => isCurrent() && void snapshot(own), RETRY_MS)
    }
  }

  feed.subscribe(topic, {
    opened: () => {
      ;[isOpen, count, waiting] = [true, null, []]
      subscription += 1
      void snapshot(subscription)
    },
    lost: () => {
      ;[isOpen, count, waiting] = [false, null, []]
    },
    message: ({ data }) => {
      if (isOpen) apply(Number(data))
      else problem(`${topic}: a message before it is open`)
    },
  })
  return { count: () => count, resets: () => resets }
}
