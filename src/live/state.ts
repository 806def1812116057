import { STREAM_LIMITS } from '../contract/stream/limits.ts'
import type { StreamMessageType } from '../contract/stream/messages.ts'
import type { Clock, Random } from '../core/ports.ts'
import type { Scrub } from '../gateway/scrub/scrub.ts'
import {
  type Connection,
  type ConnectionLimit,
  isSubscribed,
  newConnection,
  type SubscribedTopic,
  type SubscriptionLists,
} from './connection.ts'
import type { EventIds } from './event-ids.ts'
import type { ConnectionSink, Publish } from './sink.ts'
import type { Held, Since, Topic } from './topic.ts'

/** A topic with the count of its subscribers. */
export type Entry = SubscribedTopic & {
  readonly topic: Topic
  readonly intervalMs: number
  members: number
  /** Whether somebody new waits to be let in. */
  isAwaited: boolean
  /** The tick at which it last sent what had happened. */
  turnedAt: number
  idleSinceMs: number | null
}

export type HubParts = {
  readonly scrub: Scrub
  readonly clock: Clock
  /** The time that messages carry: the venue's. */
  readonly venueClock: Clock
  readonly random: Random
  readonly connectionLimit: ConnectionLimit
  readonly publish: Publish
}

/** Everything the hub knows. Functions take it as their first argument; nothing else holds state. */
export type HubState = HubParts & {
  readonly eventIds: EventIds
  readonly lists: SubscriptionLists
  /** Everybody, in the order in which their heartbeats are due. */
  readonly connections: Set<Connection>
  /** Connections that have yet to be let into a group. */
  readonly joining: Set<Connection>
  readonly entries: Map<string, Entry>
  ticks: number
  /** What was said since the connections were last looked through: none can have more waiting than before, and this. */
  sentChars: number
}

/** Takes a connection in, which gives its slot back when it goes. */
export function enter(state: HubState, sink: ConnectionSink, limitKey: string): Connection {
  const { clock, connections, lists, eventIds } = state
  const { heartbeatMs } = STREAM_LIMITS
  const connection = newConnection(sink, limitKey, lists.none(), clock.nowMs(), heartbeatMs)
  connections.add(connection)
  notify(state, connection, 'hello', {
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

/** Forgets a connection that has gone. */
export function forget(state: HubState, connection: Connection): void {
  if (connection.isClosed) return
  connection.isClosed = true
  connection.account?.leave(connection)
  for (const { group } of connection.subscriptions.topics) release(state, group)
  state.connections.delete(connection)
  state.joining.delete(connection)
  state.connectionLimit.free(connection.limitKey)
}

/** Ends a connection, saying why in a code. */
export function end(state: HubState, connection: Connection, code: number, reason: string): void {
  if (connection.isClosed) return
  connection.sink.close(code, reason)
  forget(state, connection)
}

/** A message to one connection, about itself. */
export function notify(
  state: HubState,
  { isClosed, sink }: Connection,
  type: StreamMessageType,
  fields: object = {},
): void {
  if (isClosed) return
  const head = { type, ts: state.venueClock.nowMs(), ...fields }
  const frame = state.scrub.frame(head, undefined, { audience: 'public' })
  state.sentChars += frame.text.length
  sink.send(frame)
}

/** Has a connection let into a topic, which is opened when it is the first. */
export function join(state: HubState, connection: Connection, held: Held, since: Since): void {
  if (connection.isClosed || isSubscribed(connection, held.topic)) return
  const entry = state.entries.get(held.group) ?? open(state, held)
  entry.members += 1
  entry.idleSinceMs = null
  connection.subscriptions = state.lists.with(connection.subscriptions, entry)
  entry.isAwaited = held.isEarly
  expect(state, connection, entry.group, since)
}

/** Takes a connection out of a topic. */
export function leave(state: HubState, connection: Connection, name: string): void {
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

/** Notes that a connection waits to be let into a group. */
export function expect(
  { joining }: HubState,
  connection: Connection,
  group: string,
  since: Since,
): void {
  connection.pending ??= new Map()
  connection.pending.set(group, since)
  joining.add(connection)
}

function open(state: HubState, { topic: name, group, intervalMs, open: openTopic }: Held): Entry {
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
