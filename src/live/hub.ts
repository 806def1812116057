import { STREAM_LIMITS as LIMITS, STREAM_CLOSES } from '../contract/stream/limits.ts'
import type { StreamMessageType } from '../contract/stream/messages.ts'
import type { Random } from '../core/ports.ts'
import type { KeyPair } from '../core/standby.ts'
import { type Connection, createSubscriptionLists } from './connection.ts'
import { createEventIds } from './event-ids.ts'
import type { ConnectionSink, Transport } from './sink.ts'
import {
  type Entry,
  end,
  enter,
  expect,
  forget,
  type HubParts,
  type HubState,
  join,
  leave,
  notify,
} from './state.ts'
import type { CatchUp, Held, Since } from './topic.ts'

/** Topics and their subscribers: every message is made once, and all of one flush are sent in one turn of the loop. */
export type Hub = {
  /** Takes a connection in and greets it. It gives its slot back when it goes. */
  readonly connect: (sink: ConnectionSink, limitKey: string) => Connection
  readonly disconnect: (connection: Connection) => void
  /** Subscribes a connection to a topic, from where it left off; the topic is opened when it is the first. */
  readonly join: (connection: Connection, held: Held, since: Since) => void
  readonly leave: (connection: Connection, topic: string) => void
  /** A message to one connection, about itself. */
  readonly notify: (connection: Connection, type: StreamMessageType, fields?: object) => void
  /** Ends a connection, saying why in a code. */
  readonly end: (connection: Connection, code: number, reason: string) => void
  /** Where the id of an event left its reader; null for one of another process, or of none. */
  readonly sinceId: (id: string | null) => Since
  readonly flush: () => void
  /** Whether there is a connection or a topic. */
  readonly isUsed: () => boolean
  /** The accounts and keys that connections have proved, of those last seen after a time, and when. */
  readonly lastSeen: (sinceMs: number) => readonly SeenPair[]
  readonly size: () => HubSize
  /** Ends every connection, with a hint when to reconnect. */
  readonly close: () => void
}

/** An account and key of a connection, and when it was last seen. */
type SeenPair = KeyPair & { readonly atMs: number }

/** Open connections by what carries them, the topics kept for them, and subscriptions, each once for a connection. */
export type HubSize = Readonly<Record<Transport, number>> & {
  readonly topics: number
  readonly subscriptions: number
}

/** The hub; `flush` is to be called every `STREAM_LIMITS.flushMs`. */
export function createHub(parts: HubParts): Hub {
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
    connect: (sink, limitKey) => enter(state, sink, limitKey),
    disconnect: (connection) => forget(state, connection),
    join: (connection, held, since) => join(state, connection, held, since),
    leave: (connection, topic) => leave(state, connection, topic),
    notify: (connection, type, fields) => notify(state, connection, type, fields),
    end: (connection, code, reason) => end(state, connection, code, reason),
    flush: () => flush(state),
    isUsed: () => state.connections.size + state.entries.size > 0,
    sinceId: (id) => {
      const place = eventIds.read(id)
      return place === null ? null : { place }
    },
    lastSeen: (sinceMs) => lastSeenOf(state, sinceMs),
    size: () => sizeOf(state),
    close: () => closeHub(state),
  }
}

function lastSeenOf({ connections }: HubState, sinceMs: number): SeenPair[] {
  const pairs: SeenPair[] = []
  for (const { account, seenAtMs: atMs } of connections) {
    if (!account || atMs <= sinceMs) continue
    pairs.push({ accountId: account.accountId.toLowerCase(), publicKey: account.key, atMs })
  }
  return pairs
}

function sizeOf({ connections, entries }: HubState): HubSize {
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
 * One flush: who is too slow is taken out, every topic sends what happened since its last, and newcomers are let in. All
 * of it in one turn of the loop, because a message costs a fraction of what a turn does.
 */
function flush(state: HubState): void {
  state.ticks += 1
  const nowMs = state.clock.nowMs()
  pulseDue(state, nowMs)
  // The runtime answers a caller's pings by itself: that is not counted here, and waits all the same.
  if (state.sentChars >= CATCH_UP_BYTES || state.ticks % SECOND_TICKS === 0) sweep(state, nowMs)
  for (const [group, entry] of state.entries) turn(state, group, entry, nowMs)
  for (const connection of state.joining) letIn(state, connection, nowMs)
}

/** Ends a connection, with a hint when to reconnect. */
function closeWithHint(state: HubState, connection: Connection): void {
  const retryAfterMs = LIMITS.byeMinMs + spread(state.random, LIMITS.byeSpreadMs)
  notify(state, connection, 'bye', { retryAfterMs })
  end(state, connection, STREAM_CLOSES.goingAway, 'going away')
}

/** Below this much in its sink a connection is given the next of its catch-ups. */
const CATCH_UP_BYTES = LIMITS.behindBytes / 4

const SECOND_TICKS = 1000 / LIMITS.flushMs

function turn({ ticks, entries }: HubState, group: string, entry: Entry, nowMs: number): void {
  const { topic, intervalMs, idleSinceMs } = entry
  if (idleSinceMs !== null && nowMs - idleSinceMs >= LIMITS.lingerMs) {
    entries.delete(group)
    topic.close()
    return
  }
  const isOwnTick = ticks % Math.max(1, intervalMs / LIMITS.flushMs) === 0
  // A newcomer has a slow topic sent early, but not again and again: all subscribers get it.
  const isDue = isOwnTick || (entry.isAwaited && ticks - entry.turnedAt >= SECOND_TICKS)
  topic.turn(isDue)
  if (isDue) entry.turnedAt = ticks
  entry.isAwaited = false
}

/** Gives a connection the catch-up of its topics, as much at a time as its sink takes. */
function letIn(state: HubState, connection: Connection, nowMs: number): void {
  if (isBehind(state, connection, nowMs)) return
  const { sink, pending } = connection
  for (const [group, since] of pending ?? []) {
    const topic = state.entries.get(group)?.topic
    if (!topic?.isReady()) continue
    if (sink.bufferedBytes() > CATCH_UP_BYTES) return
    const catchUp = topic.catchUp(since)
    if (!catchUp) continue
    pending?.delete(group)
    // Only who has everything it asked for stands at a place to which it can come back.
    give(state, connection, catchUp)
    sink.join(group)
  }
  if (pending && pending.size > 0) return
  connection.pending = null
  state.joining.delete(connection)
}

function give(state: HubState, connection: Connection, catchUp: CatchUp): void {
  const { sink, pending } = connection
  const frames = 'whole' in catchUp ? [catchUp.whole] : catchUp.missed.map(({ frame }) => frame)
  if (frames.length === 0) return
  state.sentChars += frames.reduce((sum, { text }) => sum + text.length, 0)
  sink.deliver(frames, pending?.size === 0 ? state.eventIds.last() : null)
}

/** Finds who reads too slowly. What was sent since the last look is all that can have come to wait. */
function sweep(state: HubState, nowMs: number): void {
  state.sentChars = 0
  for (const connection of state.connections) {
    if (connection.behindSinceMs !== null) continue
    if (connection.sink.bufferedBytes() > LIMITS.behindBytes) fallBehind(state, connection, nowMs)
  }
}

/** Whether a connection has yet to take what it was sent; one that never does is ended. */
function isBehind(state: HubState, connection: Connection, nowMs: number): boolean {
  const { behindSinceMs, sink } = connection
  if (behindSinceMs === null) return false
  const bytes = sink.bufferedBytes()
  if (bytes <= CATCH_UP_BYTES) {
    connection.behindSinceMs = null
    return false
  }
  if (bytes > LIMITS.behindMaxBytes || nowMs - behindSinceMs > LIMITS.behindMaxMs) {
    end(state, connection, STREAM_CLOSES.tooSlow, 'too slow')
  }
  return true
}

/** Takes a connection out of its groups; it comes back with the whole of each topic. */
function fallBehind(state: HubState, connection: Connection, nowMs: number): void {
  connection.behindSinceMs = nowMs
  state.joining.add(connection)
  for (const { group } of connection.subscriptions.topics) {
    connection.sink.leave(group)
    expect(state, connection, group, null)
  }
}

function pulseDue(state: HubState, nowMs: number): void {
  for (const connection of state.connections) {
    if (connection.heartbeatAtMs > nowMs) return
    // To the end of those who are due, because all wait as long.
    state.connections.delete(connection)
    state.connections.add(connection)
    pulse(state, connection, nowMs)
  }
}

function pulse(state: HubState, connection: Connection, nowMs: number): void {
  connection.heartbeatAtMs = nowMs + LIMITS.heartbeatMs
  if (connection.missed >= LIMITS.missedMax) {
    end(state, connection, STREAM_CLOSES.goingAway, 'no answer')
  } else if (nowMs - connection.openedAtMs >= LIMITS.lifeMs) {
    closeWithHint(state, connection)
  } else if (connection.sink.heartbeat()) {
    connection.missed += 1
  }
}

/** A whole number below `max`, so that those who come back do not come at once. */
function spread(random: Random, max: number): number {
  const [high = 0, low = 0] = random.bytes(2)
  return Math.floor(((high * 256 + low) / 65_536) * max)
}
