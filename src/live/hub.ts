import { STREAM_LIMITS as LIMITS, STREAM_CLOSES } from '../contract/stream/limits.ts'
import type { StreamMessageType } from '../contract/stream/messages.ts'
import type { Random } from '../core/ports.ts'
import type { AccountKey } from '../core/standby.ts'
import { type CallerConnection, createSubscriptionLists } from './connection.ts'
import { createEventIds } from './event-ids.ts'
import type { ConnectionSink, Transport } from './sink.ts'
import { CATCH_UP_BYTES, isSlow, suspendSlowConnections } from './slow-connections.ts'
import {
  addConnection,
  endConnection,
  forgetConnection,
  type HubOptions,
  type HubState,
  joinTopic,
  leaveTopic,
  notifyConnection,
  type TopicEntry,
} from './state.ts'
import type { FirstMessages, HeldTopic, Since } from './topic.ts'

/**
 * Topics and their subscribers. Every message is serialized once, and all messages of a flush are sent in one turn of
 * the loop.
 */
export type Hub = {
  /** Accepts a connection and greets it. The connection releases its slot when it ends. */
  readonly connect: (sink: ConnectionSink, limitKey: string) => CallerConnection
  readonly disconnect: (connection: CallerConnection) => void
  /** Subscribes a connection to a topic, from the position `since`. The first subscriber opens the topic. */
  readonly join: (connection: CallerConnection, held: HeldTopic, since: Since) => void
  readonly leave: (connection: CallerConnection, topic: string) => void
  /** Sends a message about a connection to that connection. */
  readonly notify: (connection: CallerConnection, type: StreamMessageType, fields?: object) => void
  /** Ends a connection with a close code and a reason. */
  readonly end: (connection: CallerConnection, code: number, reason: string) => void
  /** The position of an event id; null for an id of a different process, or an invalid one. */
  readonly sinceId: (id: string | null) => Since
  readonly flush: () => void
  /** Whether there is any connection or topic. */
  readonly isUsed: () => boolean
  /** The proved accounts and keys of connections seen after a time, each with the time at which it was last seen. */
  readonly lastSeen: (sinceMs: number) => readonly SeenPair[]
  readonly size: () => HubSize
  /** Ends every connection with a reconnect hint. */
  readonly close: () => void
}

/** An account and key of a connection, and the time at which the connection was last seen. */
type SeenPair = AccountKey & { readonly atMs: number }

/** Numbers of open connections per transport, of topics, and of subscriptions (each once per connection). */
export type HubSize = Readonly<Record<Transport, number>> & {
  readonly topics: number
  readonly subscriptions: number
}

/** Creates the hub. Call `flush` every `STREAM_LIMITS.flushMs`. */
export function createHub(parts: HubOptions): Hub {
  const eventIds = createEventIds(parts.random)
  const state: HubState = {
    ...parts,
    publish: (group, frame, place) => {
      state.sentChars += frame.text.length
      parts.publish(group, frame, place)
    },
    eventIds,
    lists: createSubscriptionLists(),
    connections: new Set(),
    joining: new Set(),
    entries: new Map(),
    ticks: 0,
    sentChars: 0,
  }
  return {
    connect: (sink, limitKey) => addConnection(state, sink, limitKey),
    disconnect: (connection) => forgetConnection(state, connection),
    join: (connection, held, since) => joinTopic(state, connection, held, since),
    leave: (connection, topic) => leaveTopic(state, connection, topic),
    notify: (connection, type, fields) => notifyConnection(state, connection, type, fields),
    end: (connection, code, reason) => endConnection(state, connection, code, reason),
    flush: () => flush(state),
    isUsed: () => state.connections.size + state.entries.size > 0,
    sinceId: (id) => {
      const place = eventIds.read(id)
      return place === null ? null : { place }
    },
    lastSeen: (sinceMs) => lastSeenPairs(state, sinceMs),
    size: () => hubSize(state),
    close: () => closeHub(state),
  }
}

function lastSeenPairs({ connections }: HubState, sinceMs: number): SeenPair[] {
  const pairs: SeenPair[] = []
  for (const { account, seenAtMs: atMs } of connections) {
    if (!account || atMs <= sinceMs) continue
    pairs.push({ accountId: account.accountId.toLowerCase(), publicKey: account.key, atMs })
  }
  return pairs
}

function hubSize({ connections, entries }: HubState): HubSize {
  const all = [...connections]
  const events = all.filter(({ sink }) => sink.transport === 'events').length
  return {
    socket: all.length - events,
    events,
    topics: entries.size,
    subscriptions: all.reduce((sum, { subscriptions }) => sum + subscriptions.topics.length, 0),
  }
}

function closeHub(state: HubState): void {
  for (const connection of [...state.connections]) closeWithHint(state, connection)
  for (const { topic } of state.entries.values()) topic.close()
  state.entries.clear()
}

/**
 * One flush: removes connections that are too slow, lets every topic send its changes, and admits new subscribers. It
 * runs in one turn of the loop, because a message costs a fraction of a turn.
 */
function flush(state: HubState): void {
  state.ticks += 1
  const nowMs = state.clock.nowMs()
  sendDueHeartbeats(state, nowMs)
  // Also sweeps once per second, because the runtime's answers to pings fill buffers without being counted here.
  if (state.sentChars >= CATCH_UP_BYTES || state.ticks % SECOND_TICKS === 0)
    suspendSlowConnections(state, nowMs)
  for (const [group, entry] of state.entries) processTopic(state, group, entry, nowMs)
  for (const connection of state.joining) sendCatchUp(state, connection, nowMs)
}

/** Ends a connection with a reconnect hint. */
function closeWithHint(state: HubState, connection: CallerConnection): void {
  const retryAfterMs = LIMITS.byeMinMs + randomBelow(state.random, LIMITS.byeSpreadMs)
  notifyConnection(state, connection, 'bye', { retryAfterMs })
  endConnection(state, connection, STREAM_CLOSES.goingAway, 'going away')
}

const SECOND_TICKS = 1000 / LIMITS.flushMs

function processTopic(
  { ticks, entries }: HubState,
  group: string,
  entry: TopicEntry,
  nowMs: number,
): void {
  const { topic, intervalMs, idleSinceMs } = entry
  if (idleSinceMs !== null && nowMs - idleSinceMs >= LIMITS.lingerMs) {
    entries.delete(group)
    topic.close()
    return
  }
  const isOwnTick = ticks % Math.max(1, intervalMs / LIMITS.flushMs) === 0
  // A new subscriber triggers an early publication of a slow topic, but at most once per second, since all subscribers
  // receive it.
  const isDue = isOwnTick || (entry.isAwaited && ticks - entry.turnedAt >= SECOND_TICKS)
  topic.turn(isDue)
  if (isDue) entry.turnedAt = ticks
  entry.isAwaited = false
}

/** Sends the catch-up of a connection's topics, limited by the room in its sink. */
function sendCatchUp(state: HubState, connection: CallerConnection, nowMs: number): void {
  if (isSlow(state, connection, nowMs)) return
  const { sink, pending } = connection
  for (const [group, since] of pending ?? []) {
    const topic = state.entries.get(group)?.topic
    if (!topic?.isReady()) continue
    if (sink.bufferedBytes() > CATCH_UP_BYTES) return
    const catchUp = topic.catchUp(since)
    if (!catchUp) continue
    pending?.delete(group)
    // This call follows the removal above, because `give` sends a resume position only if no group is pending.
    sendFirstMessages(state, connection, catchUp)
    sink.join(group)
  }
  if (pending && pending.size > 0) return
  connection.pending = null
  state.joining.delete(connection)
}

function sendFirstMessages(
  state: HubState,
  connection: CallerConnection,
  catchUp: FirstMessages,
): void {
  const { sink, pending } = connection
  const frames = 'whole' in catchUp ? [catchUp.whole] : catchUp.missed.map(({ frame }) => frame)
  if (frames.length === 0) return
  state.sentChars += frames.reduce((sum, { text }) => sum + text.length, 0)
  sink.deliver(frames, pending?.size === 0 ? state.eventIds.last() : null)
}

function sendDueHeartbeats(state: HubState, nowMs: number): void {
  for (const connection of state.connections) {
    if (connection.heartbeatAtMs > nowMs) return
    // Moves the connection to the end. Since all intervals are equal, the set stays sorted by due time.
    state.connections.delete(connection)
    state.connections.add(connection)
    sendHeartbeat(state, connection, nowMs)
  }
}

function sendHeartbeat(state: HubState, connection: CallerConnection, nowMs: number): void {
  connection.heartbeatAtMs = nowMs + LIMITS.heartbeatMs
  if (connection.missed >= LIMITS.missedMax) {
    endConnection(state, connection, STREAM_CLOSES.goingAway, 'no answer')
  } else if (nowMs - connection.openedAtMs >= LIMITS.lifeMs) {
    closeWithHint(state, connection)
  } else if (connection.sink.heartbeat()) {
    connection.missed += 1
  }
}

/** A random whole number below `max`, to spread reconnects. */
function randomBelow(random: Random, max: number): number {
  const [high = 0, low = 0] = random.bytes(2)
  return Math.floor(((high * 256 + low) / 65_536) * max)
}
