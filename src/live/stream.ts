import { STREAM_LIMITS } from '../contract/stream/limits.ts'
import { Failure, invalidParameter } from '../core/failure.ts'
import type { Feed, FeedAuth, FeedMessage } from '../core/feed.ts'
import { reportUnexpected } from '../core/loop/guarded.ts'
import { markInUse, repeatWhileInUse } from '../core/loop/idle-timers.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { createAccounts } from './accounts.ts'
import { type CallerConnection, createConnectionLimit } from './connection.ts'
import { createReceive } from './conversation.ts'
import { createHub, type Hub, type HubSize } from './hub.ts'
import { createFaults } from './mirror.ts'
import { isPrivate, parseTopic } from './projections/projections.ts'
import { createReads, openListing } from './reads.ts'
import type { ConnectionSink, Publish } from './sink.ts'
import { createSubscribe } from './subscribe.ts'

/** The interface of live data for transports. */
export type LiveStream = {
  /** Reserves a slot for a connection that is about to open. Throws Failure rate_limited without a free slot. */
  readonly reserve: (limitKey: string) => void
  readonly release: (limitKey: string) => void
  /** Accepts a two-way connection in its reserved slot. */
  readonly converse: (sink: ConnectionSink, limitKey: string) => CallerConnection
  /**
   * Accepts a receive-only connection with these topics. `lastId` is the last event that the caller received. Throws
   * Failure.
   */
  readonly listen: (
    sink: ConnectionSink,
    limitKey: string,
    topics: readonly string[],
    lastId: string | null,
  ) => CallerConnection
  readonly receive: (connection: CallerConnection, text: string) => void
  /** Records that the peer has answered a heartbeat. */
  readonly alive: (connection: CallerConnection) => void
  readonly gone: (connection: CallerConnection) => void
  readonly lastSeen: Hub['lastSeen']
  readonly size: () => StreamSize
  readonly close: () => void
}

/** Numbers of connections here, and of subscriptions at the venue. */
export type StreamSize = HubSize & { readonly venue: ReturnType<Feed['size']> }

type StreamOptions = {
  readonly deps: Gateway
  readonly feed: Feed
  readonly clientsMax: number
  readonly publish: Publish
  /** Called with each message of an account. */
  readonly received: (accountId: string, message: FeedMessage) => void
}

/** Opens the hub. Until the first subscription it requests only the list of markets from the venue. */
export async function openStream({
  deps,
  feed,
  clientsMax,
  publish,
  received,
}: StreamOptions): Promise<LiveStream> {
  const { clock, venueClock, random, scrub, log } = deps
  const reads = createReads(deps)
  const listing = openListing(reads)
  await listing.ready
  const connectionLimit = createConnectionLimit(clientsMax)
  const hub = createHub({ scrub, clock, venueClock, random, publish, connectionLimit })
  const sources = { feed, reads, clock }
  const faults = createFaults(deps.meter, log)
  const subscribe = createSubscribe({ limiter: deps.limiter, hub, sources, listing, faults })
  const parts = { hub, faults, clock, judged: noteProof(deps), received }
  const accounts = feed.account && createAccounts({ listen: feed.account, ...parts })
  const receive = createReceive({
    deps: { ...deps, proofs: deps.store.proofs },
    hub,
    accounts,
    subscribe,
  })
  const stopFlushing = repeatWhileInUse('stream', STREAM_LIMITS.flushMs, () => {
    if (hub.isUsed()) markInUse()
    hub.flush()
  })

  return {
    reserve: connectionLimit.take,
    release: connectionLimit.free,
    converse: hub.connect,
    listen: (sink, limitKey, topics, lastId) => {
      assertTopics(topics)
      connectionLimit.take(limitKey)
      const connection = hub.connect(sink, limitKey)
      const since = hub.sinceId(lastId)
      subscribe(connection, topics, () => since)
      return connection
    },
    receive: (connection, text) => {
      connection.seenAtMs = clock.nowMs()
      receive(connection, text)
    },
    alive: (connection) => {
      connection.missed = 0
      connection.seenAtMs = clock.nowMs()
    },
    lastSeen: hub.lastSeen,
    gone: hub.disconnect,
    size: () => ({ ...hub.size(), venue: feed.size() }),
    close: () => {
      stopFlushing()
      listing.close()
      hub.close()
    },
  }
}

/** Stores which keys the venue has accepted or refused. */
function noteProof({ store: { proofs }, clock, log }: Gateway) {
  return ({ accountId, key }: FeedAuth, isGood: boolean): void => {
    const account = accountId.toLowerCase()
    const noted = isGood ? proofs.add(account, key, clock.nowMs()) : proofs.remove(account, key)
    // After a failure, the only effect is that the account's calls are charged as unproven.
    noted.catch((error: unknown) => {
      reportUnexpected('stream', error, Failure)
      log.warn('stream_proof_not_kept')
    })
  }
}

// Throws Failure if every topic is invalid or there are too many. Also refuses private topics, because a receive-only
// stream cannot prove an account.
function assertTopics(topics: readonly string[]): void {
  const parsed = topics.map(parseTopic)
  if (topics.length > STREAM_LIMITS.topicsPerConnection || parsed.every((topic) => !topic)) {
    throw invalidParameter('topics')
  }
  if (parsed.some((topic) => topic && isPrivate(topic))) {
    throw new Failure('unauthorized', { parameter: 'topics', next: 'Use the WebSocket.' })
  }
}
