import type { Random } from '../core/ports.ts'
import { STREAM_LIMITS as LIMITS, STREAM_CLOSES } from '../spec/stream/limits.ts'
import type { StreamMessageType } from '../spec/stream/messages.ts'
import type { Connection } from './connection.ts'
import { createHeardLists } from './heard.ts'
import type { Outlet, Transport } from './outlet.ts'
import { createPlaces } from './places.ts'
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
  say,
} from './state.ts'
import type { Held, Opening, Since } from './topic.ts'

/** Topics and who hears them: every message is made once, and all of one beat are sent in one turn of the loop. */
export type Hub = {
  /** Takes a connection in and greets it. It has a seat, which it gives back when it goes. */
  readonly connect: (outlet: Outlet, limitKey: string) => Connection
  readonly disconnect: (connection: Connection) => void
  /** Lets a connection hear a topic, from where it left off; the topic is opened when it is the first. */
  readonly join: (connection: Connection, held: Held, since: Since) => void
  readonly leave: (connection: Connection, topic: string) => void
  /** A message to one connection, about itself. */
  readonly say: (connection: Connection, type: StreamMessageType, fields?: object) => void
  /** Ends a connection, saying why in a code. */
  readonly end: (connection: Connection, code: number, reason: string) => void
  /** Where the id of an event left its reader; null for one of another process, or of none. */
  readonly sinceId: (id: string | null) => Since
  readonly beat: () => void
  readonly size: () => HubSize
  /** Tells everybody when to come back, and ends them. */
  readonly close: () => void
}

/** Open connections by what carries them, the topics kept for them, and topics heard, each once for a connection. */
export type HubSize = Readonly<Record<Transport, number>> & {
  readonly topics: number
  readonly subscriptions: number
}

/** The hub; `beat` is to be called every `STREAM_LIMITS.beatMs`. */
export function createHub(parts: HubParts): Hub {
  const places = createPlaces(parts.random)
  const state: HubState = {
    ...parts,
    publish: (group, frame, place) => {
      state.saidChars += frame.text.length
      parts.publish(group, frame, place)
    },
    places,
    lists: createHeardLists(),
    connections: new Set(),
    joining: new Set(),
    entries: new Map(),
    beats: 0,
    saidChars: 0,
  }
  return {
    connect: (outlet, limitKey) => enter(state, outlet, limitKey),
    disconnect: (connection) => forget(state, connection),
    join: (connection, held, since) => join(state, connection, held, since),
    leave: (connection, topic) => leave(state, connection, topic),
    say: (connection, type, fields) => say(state, connection, type, fields),
    end: (connection, code, reason) => end(state, connection, code, reason),
    beat: () => beat(state),
    sinceId: (id) => {
      const place = places.read(id)
      return place === null ? null : { place }
    },
    size: () => sizeOf(state),
    close: () => closeHub(state),
  }
}

function sizeOf({ connections, entries }: HubState): HubSize {
  const all = [...connections]
  const events = all.filter(({ outlet }) => outlet.transport === 'events').length
  return {
    socket: all.length - events,
    events,
    topics: entries.size,
    subscriptions: all.reduce((sum, { heard }) => sum + heard.topics.length, 0),
  }
}

function closeHub(state: HubState): void {
  for (const connection of [...state.connections]) dismiss(state, connection)
  for (const { topic } of state.entries.values()) topic.close()
  state.entries.clear()
}

/**
 * One beat: who is too slow is taken out, every topic says what happened since its last, and newcomers are let in. All
 * of it in one turn of the loop, because a message costs a fraction of what a turn does.
 */
function beat(state: HubState): void {
  state.beats += 1
  const nowMs = state.clock.nowMs()
  pulseDue(state, nowMs)
  // The runtime answers a caller's pings by itself: that is not said here, and waits all the same.
  if (state.saidChars >= OPENING_BYTES || state.beats % SECOND_BEATS === 0) sweep(state, nowMs)
  for (const [group, entry] of state.entries) turn(state, group, entry, nowMs)
  for (const connection of state.joining) letIn(state, connection, nowMs)
}

/** Tells a connection when to come back, and ends it. */
function dismiss(state: HubState, connection: Connection): void {
  const retryAfterMs = LIMITS.byeMinMs + spread(state.random, LIMITS.byeSpreadMs)
  say(state, connection, 'bye', { retryAfterMs })
  end(state, connection, STREAM_CLOSES.goingAway, 'going away')
}

/** Below this much in its outlet a connection is given the next of its openings. */
const OPENING_BYTES = LIMITS.behindBytes / 4

const SECOND_BEATS = 1000 / LIMITS.beatMs

function turn({ beats, entries }: HubState, group: string, entry: Entry, nowMs: number): void {
  const { topic, beatMs, idleSinceMs } = entry
  if (idleSinceMs !== null && nowMs - idleSinceMs >= LIMITS.lingerMs) {
    entries.delete(group)
    topic.close()
    return
  }
  const isOwnBeat = beats % Math.max(1, beatMs / LIMITS.beatMs) === 0
  // Who is new has a topic speak that speaks seldom, but not again and again: the others hear it too.
  const isDue = isOwnBeat || (entry.isAwaited && beats - entry.turnedAt >= SECOND_BEATS)
  topic.turn(isDue)
  if (isDue) entry.turnedAt = beats
  entry.isAwaited = false
}

/** Gives a connection what its topics begin with, as much at a time as its outlet takes. */
function letIn(state: HubState, connection: Connection, nowMs: number): void {
  if (isBehind(state, connection, nowMs)) return
  const { outlet, pending } = connection
  for (const [group, since] of pending ?? []) {
    const topic = state.entries.get(group)?.topic
    if (!topic?.isReady()) continue
    if (outlet.bufferedBytes() > OPENING_BYTES) return
    const opening = topic.opening(since)
    if (!opening) continue
    pending?.delete(group)
    // Only who has everything it asked for stands at a place to which it can come back.
    give(state, connection, opening)
    outlet.join(group)
  }
  if (pending && pending.size > 0) return
  connection.pending = null
  state.joining.delete(connection)
}

function give(state: HubState, connection: Connection, opening: Opening): void {
  const { outlet, pending } = connection
  const frames = 'whole' in opening ? [opening.whole] : opening.missed.map(({ frame }) => frame)
  if (frames.length === 0) return
  state.saidChars += frames.reduce((sum, { text }) => sum + text.length, 0)
  outlet.deliver(frames, pending?.size === 0 ? state.places.last() : null)
}

/** Finds who reads too slowly. What was said since the last look is all that can have come to wait. */
function sweep(state: HubState, nowMs: number): void {
  state.saidChars = 0
  for (const connection of state.connections) {
    if (connection.behindSinceMs !== null) continue
    if (connection.outlet.bufferedBytes() > LIMITS.behindBytes) fallBehind(state, connection, nowMs)
  }
}

/** Whether a connection has yet to take what it was sent; one that never does is ended. */
function isBehind(state: HubState, connection: Connection, nowMs: number): boolean {
  const { behindSinceMs, outlet } = connection
  if (behindSinceMs === null) return false
  const bytes = outlet.bufferedBytes()
  if (bytes <= OPENING_BYTES) {
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
  for (const { group } of connection.heard.topics) {
    connection.outlet.leave(group)
    expect(state, connection, group, null)
  }
}

function pulseDue(state: HubState, nowMs: number): void {
  for (const connection of state.connections) {
    if (connection.beatAtMs > nowMs) return
    // To the end of those who are due, because all wait as long.
    state.connections.delete(connection)
    state.connections.add(connection)
    pulse(state, connection, nowMs)
  }
}

function pulse(state: HubState, connection: Connection, nowMs: number): void {
  connection.beatAtMs = nowMs + LIMITS.heartbeatMs
  if (connection.missed >= LIMITS.missedMax) {
    end(state, connection, STREAM_CLOSES.goingAway, 'no answer')
  } else if (nowMs - connection.openedAtMs >= LIMITS.lifeMs) {
    dismiss(state, connection)
  } else if (connection.outlet.beat()) {
    connection.missed += 1
  }
}

/** A whole number below `max`, so that those who come back do not come at once. */
function spread(random: Random, max: number): number {
  const [high = 0, low = 0] = random.bytes(2)
  return Math.floor(((high * 256 + low) / 65_536) * max)
}
