import type { Random } from '../core/ports.ts'
import { STREAM_LIMITS as LIMITS, STREAM_CLOSES } from '../spec/stream/limits.ts'
import type { Connection } from './connection.ts'
import { type Entry, end, expect, type HubState, say } from './state.ts'
import type { Opening } from './topic.ts'

/**
 * One beat: who is too slow is taken out, every topic says what happened since its last, and newcomers are let in. All
 * of it in one turn of the loop, because a message costs a fraction of what a turn does.
 */
export function beat(state: HubState): void {
  state.beats += 1
  const nowMs = state.clock.nowMs()
  pulseDue(state, nowMs)
  // The runtime answers a caller's pings by itself: that is not said here, and waits all the same.
  if (state.saidChars >= OPENING_BYTES || state.beats % SECOND_BEATS === 0) sweep(state, nowMs)
  for (const [group, entry] of state.entries) turn(state, group, entry, nowMs)
  for (const connection of state.joining) letIn(state, connection, nowMs)
}

/** Tells a connection when to come back, and ends it. */
export function dismiss(state: HubState, connection: Connection): void {
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
