import { STREAM_LIMITS } from '../contract/stream/limits.ts'
import type { StreamMessageType } from '../contract/stream/messages.ts'
import type { Clock, Random } from '../core/ports.ts'
import type { Scrub } from '../gateway/scrub/scrub.ts'
import {
  type CallerConnection,
  type ConnectionLimit,
  isSubscribed,
  newConnection,
  type SubscribedTopic,
  type SubscriptionLists,
} from './connection.ts'
import type { EventIds } from './event-ids.ts'
import type { ConnectionSink, Publish } from './sink.ts'
import type { HeldTopic, Since, Topic } from './topic.ts'

/** A topic with the count of its subscribers. */
export type TopicEntry = SubscribedTopic & {
  readonly topic: Topic
  readonly intervalMs: number
  members: number
  /** Whether a new subscriber waits to join. */
  isAwaited: boolean
  /** The tick of the topic's last publication. */
  turnedAt: number
  idleSinceMs: number | null
}

export type HubOptions = {
  readonly scrub: Scrub
  readonly clock: Clock
  /** The venue's clock, whose time messages carry. */
  readonly venueClock: Clock
  readonly random: Random
  readonly connectionLimit: ConnectionLimit
  readonly publish: Publish
}

/** The complete state of the hub. Functions take it as their first argument. */
export type HubState = HubOptions & {
  readonly eventIds: EventIds
  readonly lists: SubscriptionLists
  /** All connections in the order of their next heartbeats. */
  readonly connections: Set<CallerConnection>
  /** Connections that wait to join a group. */
  readonly joining: Set<CallerConnection>
  readonly entries: Map<string, TopicEntry>
  ticks: number
  /** Characters sent since the last sweep: upper bound of the growth of any connection's buffer. */
  sentChars: number
}

/** Adds a connection, which releases its slot when it ends. */
export function addConnection(
  state: HubState,
  sink: ConnectionSink,
  limitKey: string,
): CallerConnection {
  const { clock, connections, lists, eventIds } = state
  const { heartbeatMs } = STREAM_LIMITS
  const connection = newConnection(sink, limitKey, lists.none(), clock.nowMs(), heartbeatMs)
  connections.add(connection)
  notifyConnection(state, connection, 'hello', {
    epoch: eventIds.hub,
    heartbeatMs,
    limits: {
      topics: STREAM_LIMITS.topicsPerConnection,
      messagesPerSecond: STREAM_LIMITS.messagesPerSecond,
      messageBytes: STREAM_LIMITS.messageMaxBytes,
      connections: STREAM_LIMITS.connectionsPerAddress,
      lifeMs: STREAM_LIMITS.lifeMs,
    },
  })
  return connection
}

/** Removes an ended connection. */
export function forgetConnection(state: HubState, connection: CallerConnection): void {
  if (connection.isClosed) return
  connection.isClosed = true
  connection.account?.leave(connection)
  for (const { group } of connection.subscriptions.topics) release(state, group)
  state.connections.delete(connection)
  state.joining.delete(connection)
  state.connectionLimit.free(connection.limitKey)
}

/** Ends a connection with a close code and a reason. */
export function endConnection(
  state: HubState,
  connection: CallerConnection,
  code: number,
  reason: string,
): void {
  if (connection.isClosed) return
  connection.sink.close(code, reason)
  forgetConnection(state, connection)
}

/** Sends a message about a connection to that connection. */
export function notifyConnection(
  state: HubState,
  { isClosed, sink }: CallerConnection,
  type: StreamMessageType,
  fields: object = {},
): void {
  if (isClosed) return
  const head = { type, ts: state.venueClock.nowMs(), ...fields }
  const frame = state.scrub.frame(head, undefined, { audience: 'public' })
  state.sentChars += frame.text.length
  sink.send(frame)
}

/** Subscribes a connection to a topic. The first subscriber opens the topic. */
export function joinTopic(
  state: HubState,
  connection: CallerConnection,
  held: HeldTopic,
  since: Since,
): void {
  if (connection.isClosed || isSubscribed(connection, held.topic)) return
  const entry = state.entries.get(held.group) ?? open(state, held)
  entry.members += 1
  entry.idleSinceMs = null
  connection.subscriptions = state.lists.with(connection.subscriptions, entry)
  entry.isAwaited = held.isEarly
  expect(state, connection, entry.group, since)
}

/** Unsubscribes a connection from a topic. */
export function leaveTopic(state: HubState, connection: CallerConnection, name: string): void {
  const group = connection.subscriptions.topics.find((topic) => topic.name === name)?.group
  if (group === undefined) return
  connection.subscriptions = state.lists.without(connection.subscriptions, name)
  connection.pending?.delete(group)
  if (!connection.isClosed) connection.sink.leave(group)
  release(state, group)
}

function release({ entries, clock }: HubState, group: string): void {
  const entry = entries.get(group)
  if (!entry) return
  entry.members -= 1
  if (entry.members === 0) entry.idleSinceMs = clock.nowMs()
}

/** Marks a connection as waiting to join a group. */
export function expect(
  { joining }: HubState,
  connection: CallerConnection,
  group: string,
  since: Since,
): void {
  connection.pending ??= new Map()
  connection.pending.set(group, since)
  joining.add(connection)
}

function open(
  state: HubState,
  { topic: name, group, intervalMs, open: openTopic }: HeldTopic,
): TopicEntry {
  const entry = {
    name,
    group,
    topic: openTopic(state),
    intervalMs,
    members: 0,
    isAwaited: false,
    turnedAt: 0,
    idleSinceMs: null,
  }
  state.entries.set(group, entry)
  return entry
}
