import { STREAM_LIMITS } from '../contract/stream/limits.ts'
import type { StreamName } from '../contract/stream/topics.ts'
import { Failure } from '../core/failure.ts'
import type { ConnectionSink } from './sink.ts'
import type { Held, Since } from './topic.ts'

/** One account as one key sees it: one connection to the venue, whoever of its owners listens. */
export type Account = {
  readonly accountId: string
  readonly key: string
  /** A topic of the account, for the hub. */
  readonly held: (name: StreamName) => Held
  /** Forgets a connection; the last one takes the signature along. */
  readonly leave: (connection: Connection) => void
}

/** One caller's connection, as the hub keeps it: plain data, because there are thousands. */
export type Connection = {
  readonly sink: ConnectionSink
  readonly limitKey: string
  readonly openedAtMs: number
  /** When its last message or answer to a heartbeat came. */
  seenAtMs: number
  /** The topics that it gets or waits for. */
  subscriptions: Subscriptions
  /** Groups that it has yet to be let into, and where it left off. */
  pending: Map<string, Since> | null
  /** Since when its sink is too full to take more; null while it keeps up. */
  behindSinceMs: number | null
  /** When the next heartbeat is due, and how many had no answer. */
  heartbeatAtMs: number
  missed: number
  isClosed: boolean
  violations: number
  /** The rate window of its messages. */
  messagesAtMs: number | undefined
  /** A proof that is being judged; null while there is none. */
  proof: Promise<void> | null
  /** The account it has proved. */
  account: Account | null
}

/** A connection that has asked for nothing yet. */
export function newConnection(
  sink: ConnectionSink,
  limitKey: string,
  subscriptions: Subscriptions,
  nowMs: number,
  heartbeatMs: number,
): Connection {
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

/** Whether a connection gets a topic, or waits for it. */
export function isSubscribed({ subscriptions }: Connection, name: string): boolean {
  return subscriptions.topics.some((topic) => topic.name === name)
}

/** A topic by its name, and the group of its subscribers. */
export type SubscribedTopic = { readonly name: string; readonly group: string }

/** The topics of a connection in the order it asked for them; connections that asked for the same ones share one. */
export type Subscriptions = {
  readonly topics: readonly SubscribedTopic[]
  /** The subscriptions after one more topic, by its group. */
  readonly next: Map<string, Subscriptions>
}

/** Keeps the lists of subscriptions, once each: there are thousands of connections, and few lists. */
export type SubscriptionLists = {
  readonly none: () => Subscriptions
  readonly with: (subscriptions: Subscriptions, topic: SubscribedTopic) => Subscriptions
  readonly without: (subscriptions: Subscriptions, name: string) => Subscriptions
}

/** Lists that are shared; past this many it begins anew, and those in use stay with who uses them. */
const LISTS_MAX = 4096

export function createSubscriptionLists(): SubscriptionLists {
  let none = listOf([])
  let made = 0

  function grown(subscriptions: Subscriptions, { name, group }: SubscribedTopic): Subscriptions {
    const known = subscriptions.next.get(group)
    if (known) return known
    made += 1
    if (made % LISTS_MAX === 0) none = listOf([])
    const list = listOf([...subscriptions.topics, { name, group }])
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

function listOf(topics: readonly SubscribedTopic[]): Subscriptions {
  return { topics, next: new Map() }
}

/** Counts connections, in all and by address. */
export type ConnectionLimit = {
  /** Takes a slot. Throws Failure rate_limited naming the limit that was reached. */
  readonly take: (limitKey: string) => void
  readonly free: (limitKey: string) => void
  readonly taken: () => number
}

/** A limit of `clientsMax` connections, and of those of one address. */
export function createConnectionLimit(clientsMax: number): ConnectionLimit {
  const byAddress = new Map<string, number>()
  let taken = 0
  return {
    take: (limitKey) => {
      const own = byAddress.get(limitKey) ?? 0
      if (taken >= clientsMax) throw full('clients', clientsMax)
      if (own >= STREAM_LIMITS.connectionsPerAddress) {
        throw full('connections', STREAM_LIMITS.connectionsPerAddress)
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

function full(limit: string, max: number): Failure {
  return new Failure('rate_limited', { limit, max, retryAfterSeconds: RETRY_SECONDS })
}
