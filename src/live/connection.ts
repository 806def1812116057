import { STREAM_LIMITS } from '../contract/stream/limits.ts'
import type { StreamName } from '../contract/stream/topics.ts'
import { Failure } from '../core/failure.ts'
import type { ConnectionSink } from './sink.ts'
import type { HeldTopic, Since } from './topic.ts'

/**
 * An account and one of its keys, with one connection to the venue. All callers' connections that have proved the key
 * share it.
 */
export type LiveAccount = {
  readonly accountId: string
  readonly key: string
  /** A topic of the account, for the hub. */
  readonly held: (name: StreamName) => HeldTopic
  /** Removes a connection. Removing the last connection also discards the signature. */
  readonly leave: (connection: CallerConnection) => void
}

/** The hub's record of a caller's connection. It is plain data, because the hub has thousands of connections. */
export type CallerConnection = {
  readonly sink: ConnectionSink
  readonly limitKey: string
  readonly openedAtMs: number
  /** The arrival time of the caller's last message or heartbeat answer. */
  seenAtMs: number
  /** The topics that the connection receives or waits for. */
  subscriptions: Subscriptions
  /** Groups that the connection waits to join, each with the position from which the connection resumes. */
  pending: Map<string, Since> | null
  /** Since when the connection has had too many unsent bytes; null while the caller keeps up. */
  behindSinceMs: number | null
  /** When the next heartbeat is due, and the number of unanswered heartbeats. */
  heartbeatAtMs: number
  missed: number
  isClosed: boolean
  violations: number
  /** The state of the rate window for the caller's messages. */
  messagesAtMs: number | undefined
  /** A proof that is being verified; null without such a proof. */
  proof: Promise<void> | null
  /** The account that the caller has proved; null before the proof. */
  account: LiveAccount | null
}

/** A connection without subscriptions. */
export function newConnection(
  sink: ConnectionSink,
  limitKey: string,
  subscriptions: Subscriptions,
  nowMs: number,
  heartbeatMs: number,
): CallerConnection {
  return {
    sink,
    limitKey,
    openedAtMs: nowMs,
    seenAtMs: nowMs,
    subscriptions,
    pending: null,
    behindSinceMs: null,
    heartbeatAtMs: nowMs + heartbeatMs,
    missed: 0,
    isClosed: false,
    violations: 0,
    messagesAtMs: undefined,
    proof: null,
    account: null,
  }
}

/** Whether a connection receives a topic or waits for it. */
export function isSubscribed({ subscriptions }: CallerConnection, name: string): boolean {
  return subscriptions.topics.some((topic) => topic.name === name)
}

/** A topic's name, and the group of the topic's subscribers. */
export type SubscribedTopic = { readonly name: string; readonly group: string }

/** The topics of a connection in the order of subscription. Connections with equal lists share one object. */
export type Subscriptions = {
  readonly topics: readonly SubscribedTopic[]
  /** Lists with one more topic at the end, by the group of that topic. */
  readonly next: Map<string, Subscriptions>
}

/** Deduplicates lists of subscriptions: there are thousands of connections, and few distinct lists. */
export type SubscriptionLists = {
  readonly none: () => Subscriptions
  readonly with: (subscriptions: Subscriptions, topic: SubscribedTopic) => Subscriptions
  readonly without: (subscriptions: Subscriptions, name: string) => Subscriptions
}

/**
 * Maximum number of shared lists. Above the maximum, the cache is cleared; connections keep the lists that they use.
 */
const LISTS_MAX = 4096

export function createSubscriptionLists(): SubscriptionLists {
  let none = newSubscriptions([])
  let made = 0

  function grown(subscriptions: Subscriptions, { name, group }: SubscribedTopic): Subscriptions {
    const known = subscriptions.next.get(group)
    if (known) return known
    made += 1
    if (made % LISTS_MAX === 0) none = newSubscriptions([])
    const list = newSubscriptions([...subscriptions.topics, { name, group }])
    subscriptions.next.set(group, list)
    return list
  }

  return {
    none: () => none,
    with: grown,
    without: (subscriptions, name) =>
      subscriptions.topics.filter((topic) => topic.name !== name).reduce(grown, none),
  }
}

function newSubscriptions(topics: readonly SubscribedTopic[]): Subscriptions {
  return { topics, next: new Map() }
}

/** Limits connections, in total and per address. */
export type ConnectionLimit = {
  /** Takes a slot. Throws Failure rate_limited that names the reached limit. */
  readonly take: (limitKey: string) => void
  readonly free: (limitKey: string) => void
  readonly taken: () => number
}

/** A limit of `clientsMax` connections in total, with a further limit per address. */
export function createConnectionLimit(clientsMax: number): ConnectionLimit {
  const byAddress = new Map<string, number>()
  let taken = 0
  return {
    take: (limitKey) => {
      const own = byAddress.get(limitKey) ?? 0
      if (taken >= clientsMax) throw connectionLimitFailure('clients', clientsMax)
      if (own >= STREAM_LIMITS.connectionsPerAddress) {
        throw connectionLimitFailure('connections', STREAM_LIMITS.connectionsPerAddress)
      }
      byAddress.set(limitKey, own + 1)
      taken += 1
    },
    free: (limitKey) => {
      const own = byAddress.get(limitKey) ?? 0
      if (own <= 1) byAddress.delete(limitKey)
      else byAddress.set(limitKey, own - 1)
      taken -= 1
    },
    taken: () => taken,
  }
}

const RETRY_SECONDS = 5

function connectionLimitFailure(limit: string, max: number): Failure {
  return new Failure('rate_limited', { limit, max, retryAfterSeconds: RETRY_SECONDS })
}
