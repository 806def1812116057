import { STREAM_LIMITS } from '../../src/contract/stream/limits.ts'
import { createVerifier } from '../../src/core/crypto/verifier.ts'
import type { AccountSink, Feed, FeedMessage, FeedSink } from '../../src/core/feed.ts'
import { UpstreamError } from '../../src/core/ports.ts'
import type { Frame } from '../../src/gateway/scrub/frame.ts'
import { createScrub } from '../../src/gateway/scrub/scrub.ts'
import { createAccounts } from '../../src/live/accounts.ts'
import { type CallerConnection, createConnectionLimit } from '../../src/live/connection.ts'
import { createReceive, type Receive } from '../../src/live/conversation.ts'
import { createHub, type Hub } from '../../src/live/hub.ts'
import type { Reads } from '../../src/live/projections/projection.ts'
import type { ConnectionSink } from '../../src/live/sink.ts'
import { createSubscribe, type Subscribe } from '../../src/live/subscribe.ts'
import type { Since } from '../../src/live/topic.ts'
import { FREE } from '../gateway/limits/free.ts'
import type { Message } from './clients.ts'

/** A venue's live wire in the hands of a test. */
type HandFeed = Feed & {
  readonly publish: (topic: string, data: unknown, atMs: number) => void
  readonly lose: () => void
  readonly restore: () => void
  readonly listeners: (topic: string) => number
  readonly accounts: AccountSink[]
  setBook: (book: () => FeedMessage | null) => void
}

function handFeed(): HandFeed {
  const sinks = new Map<string, Set<FeedSink>>()
  const accounts: AccountSink[] = []
  let isUp = true
  let book: () => FeedMessage | null = () => null
  const each = (act: (sink: FeedSink) => void) => {
    for (const set of sinks.values()) for (const sink of set) act(sink)
  }
  return {
    accounts,
    subscribe: (topic, sink) => {
      const set = sinks.get(topic) ?? new Set()
      sinks.set(topic, set.add(sink))
      if (isUp) queueMicrotask(sink.opened)
      return () => {
        set.delete(sink)
      }
    },
    book: async () => {
      const found = isUp ? book() : null
      if (!found) throw new UpstreamError('unreachable', false)
      return found
    },
    account: (_, sink) => {
      accounts.push(sink)
      queueMicrotask(sink.opened)
      return () => undefined
    },
    size: () => ({ topics: sinks.size, accounts: accounts.length, malformed: 0 }),
    close: () => sinks.clear(),
    publish: (topic, data, atMs) => {
      for (const sink of sinks.get(topic) ?? []) sink.message({ topic, atMs, data })
    },
    lose: () => {
      isUp = false
      each((sink) => sink.lost())
    },
    restore: () => {
      isUp = true
      each((sink) => sink.opened())
    },
    listeners: (topic) => sinks.get(topic)?.size ?? 0,
    setBook: (next) => {
      book = next
    },
  }
}

/** A caller whose connection takes what it is given, unless a test says that it does not. */
export type TestSink = ConnectionSink & {
  readonly messages: Message[]
  /** Ids of the stream positions that it received, oldest first. */
  readonly places: string[]
  readonly groups: Set<string>
  /** Whether anybody answers heartbeats. */
  isDead: boolean
  /** What the other end has not taken. */
  buffered: number
  ended: { readonly code: number; readonly reason: string } | null
}

function testSink(): TestSink {
  const messages: Message[] = []
  const places: string[] = []
  const groups = new Set<string>()
  const push = (frame: Frame) => messages.push(JSON.parse(frame.text))
  return {
    transport: 'socket',
    messages,
    places,
    groups,
    isDead: false,
    buffered: 0,
    ended: null,
    send: push,
    deliver: (frames, place) => {
      for (const frame of frames) push(frame)
      if (place) places.push(place)
    },
    join: (group) => groups.add(group),
    leave: (group) => groups.delete(group),
    bufferedBytes() {
      return this.buffered
    },
    heartbeat() {
      return this.isDead
    },
    close(code, reason) {
      this.ended = { code, reason }
    },
  }
}

const NOW_MS = 1_800_000_000_000

export type HubFixture = {
  readonly hub: Hub
  readonly feed: HandFeed
  /** What began anew, with its error where there was one, and how many malformed rows were left out. */
  readonly faults: { readonly resets: readonly unknown[]; readonly dropped: number }
  readonly subscribe: Subscribe
  readonly receive: Receive
  /** Messages of accounts that were passed on. */
  readonly received: (readonly [accountId: string, message: FeedMessage])[]
  /** Pairs of account and key that the venue has taken. */
  readonly proofs: Set<string>
  readonly connect: () => { readonly sink: TestSink; readonly connection: CallerConnection }
  readonly ask: (connection: CallerConnection, topics: readonly string[], since?: Since) => void
  /** Lets time pass, beat by beat. */
  readonly pass: (ms: number) => Promise<void>
  readonly nowMs: () => number
  /** Keeps nothing more for a caller that has gone. */
  readonly forget: (sink: TestSink) => void
  readonly close: () => void
}

const ROW = { symbol: 'PERP_ETH_USDC', mark_price: 100, '24h_open': 90, '24h_close': 100 }

const READS: Reads = {
  markets: async () => [ROW],
  trades: async () => [],
  candles: async () => [],
  liquidations: async () => [],
  funding: async () => ({ symbol: 'PERP_ETH_USDC', est_funding_rate: 0 }),
  status: async () => ({ status: 0, msg: 'ok' }),
  ticks: async () => ({ price: '0.1', quantity: '1' }),
}

/** A hub whose time, venue and callers are a test's. */
export function openHubFixture(reads: Partial<Reads> = {}, clientsMax = 1000): HubFixture {
  let nowMs = NOW_MS
  const clock = { nowMs: () => nowMs }
  const feed = handFeed()
  const sinks = new Set<TestSink>()
  const connectionLimit = createConnectionLimit(clientsMax)
  const hub = createHub({
    scrub: createScrub({ names: [] }),
    clock,
    venueClock: clock,
    random: { bytes: (length) => new Uint8Array(length).fill(7) },
    connectionLimit,
    publish: (group, frame, place) => {
      for (const sink of sinks) {
        if (!sink.groups.has(group)) continue
        sink.messages.push(JSON.parse(frame.text))
        sink.places.push(place)
      }
    },
  })
  const faults = { resets: [] as unknown[], dropped: 0 }
  const faultsOf = () => ({
    dropped: (rows: number) => {
      faults.dropped += rows
    },
    reset: (error?: unknown) => void faults.resets.push(error),
  })
  const subscribe = createSubscribe({
    limiter: { charge: () => FREE, isBlocked: () => false },
    hub,
    sources: { feed, reads: { ...READS, ...reads }, clock },
    listing: { has: () => true, ready: Promise.resolve(), close: () => undefined },
    faults: faultsOf,
  })
  const proofs = new Set<string>()
  const received: HubFixture['received'] = []
  const accounts = createAccounts({
    listen: feed.account ?? fail('no accounts'),
    clock,
    hub,
    faults: faultsOf,
    received: (accountId, message) => received.push([accountId, message]),
    judged: ({ accountId, key }, isGood) => {
      proofs[isGood ? 'add' : 'delete'](`${accountId} ${key}`)
    },
  })
  const receive = createReceive({
    deps: {
      clock,
      limiter: { charge: () => FREE, take: () => FREE, isBlocked: () => false },
      verifier: createVerifier({ keysMax: 10 }),
      proofs: { has: async (accountId, key) => proofs.has(`${accountId} ${key}`) },
    },
    hub,
    accounts,
    subscribe,
  })
  return {
    hub,
    feed,
    faults,
    subscribe,
    receive,
    received,
    proofs,
    connect: () => {
      const sink = testSink()
      sinks.add(sink)
      connectionLimit.take('caller')
      return { sink, connection: hub.connect(sink, 'caller') }
    },
    ask: (connection, topics, since = null) => subscribe(connection, topics, () => since),
    pass: async (ms) => {
      for (let passedMs = 0; passedMs < ms; passedMs += STREAM_LIMITS.flushMs) {
        nowMs += STREAM_LIMITS.flushMs
        await settled()
        hub.flush()
      }
    },
    nowMs: () => nowMs,
    forget: (sink) => sinks.delete(sink),
    close: hub.close,
  }
}

/** Lets everything that only waits for a promise go on. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 12; turns += 1) await Promise.resolve()
}

function fail(event: string): never {
  throw new Error(event)
}
