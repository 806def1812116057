import type { Random } from '../core/ports.ts'
import { STREAM_LIMITS as LIMITS, STREAM_CLOSES } from '../spec/stream/limits.ts'
import type { Connection } from './connection.ts'
import { type Entry, end, expect, type HubState, say } from './state.ts'
import type { Since, Topic } from './topic.ts'

/**
 * One beat: who is too slow is taken out, every topic says what happened since its last, and newcomers are let in. All
 * of it in one turn of the loop, because a message costs a fraction of what a turn does.
 */
export function beat(state: HubState): void {
  state.beats += 1
  const nowMs = state.clock.nowMs()
  for (const connection of state.connections) sweep(state, connection, nowMs)
  for (const [group, entry] of state.entries) turn(state, group, entry, nowMs)
  for (const connection of state.joining) letIn(state, connection)
}

/** Tells a connection when to come back, and ends it. */
export function dismiss(state: HubState, connection: Connection): void {
  const retryAfterMs = LIMITS.byeMinMs + spread(state.random, LIMITS.byeSpreadMs)
  say(state, connection, 'bye', { retryAfterMs })
  end(state, connection, STREAM_CLOSES.goingAway, 'going away')
}

/** Below this much in its outlet a connection is given the next of its openings. */
const OPENING_BYTES = LIMITS.behindBytes / 4

function turn({ beats, entries }: HubState, group: string, entry: Entry, nowMs: number): void {
  const { topic, beatMs, idleSinceMs } = entry
  if (idleSinceMs !== null && nowMs - idleSinceMs >= LIMITS.lingerMs) {
    topic.close()
    entries.delete(group)
    return
  }
  const isOwnBeat = beats % Math.max(1, beatMs / LIMITS.beatMs) === 0
  topic.turn(isOwnBeat || entry.isAwaited)
  entry.isAwaited = false
}

/** Gives a connection what its topics begin with, as much at a time as its outlet takes. */
function letIn({ entries, joining, places }: HubState, connection: Connection): void {
  const { outlet, pending } = connection
  if (!pending || pending.size === 0) {
    connection.pending = null
    joining.delete(connection)
    return
  }
  if (connection.behindSinceMs !== null) return
  for (const [group, since] of pending) {
    const entry = entries.get(group)
    if (!entry?.topic.isReady()) continue
    // So that what it is given next is the state of then.
    entry.isAwaited = outlet.bufferedBytes() > OPENING_BYTES
    if (entry.isAwaited) return
    pending.delete(group)
    // Only who has everything it asked for stands at a place to which it can come back.
    give(connection, entry.topic, since, pending.size === 0 ? places.last() : null)
    outlet.join(group)
  }
}

function give({ outlet }: Connection, topic: Topic, since: Since, place: string | null): void {
  const opening = topic.opening(since)
  const frames = 'whole' in opening ? [opening.whole] : opening.missed.map(({ frame }) => frame)
  if (frames.length > 0) outlet.deliver(frames, place)
}

function sweep(state: HubState, connection: Connection, nowMs: number): void {
  const bytes = connection.outlet.bufferedBytes()
  const { behindSinceMs } = connection
  if (behindSinceMs === null) {
    if (bytes > LIMITS.behindBytes) fallBehind(state, connection, nowMs)
  } else if (bytes > LIMITS.behindMaxBytes || nowMs - behindSinceMs > LIMITS.behindMaxMs) {
    end(state, connection, STREAM_CLOSES.tooSlow, 'too slow')
  } else if (bytes <= OPENING_BYTES) {
    connection.behindSinceMs = null
  }
  if (nowMs >= connection.beatAtMs) pulse(state, connection, nowMs)
}

/** Takes a connection out of its groups; it comes back with the whole of each topic. */
function fallBehind(state: HubState, connection: Connection, nowMs: number): void {
  connection.behindSinceMs = nowMs
  for (const { group } of connection.topics) {
    connection.outlet.leave(group)
    expect(state, connection, group, null)
  }
}

function pulse(state: HubState, connection: Connection, nowMs: number): void {
  if (connection.isClosed) return
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
