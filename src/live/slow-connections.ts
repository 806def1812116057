import { STREAM_LIMITS as LIMITS, STREAM_CLOSES } from '../contract/stream/limits.ts'
import type { CallerConnection } from './connection.ts'
import { endConnection, expect, type HubState } from './state.ts'

/** A connection gets its next catch-up only with fewer unsent bytes than this. */
export const CATCH_UP_BYTES = LIMITS.behindBytes / 4

/** Removes each connection with too many unsent bytes from its groups. */
export function suspendSlowConnections(state: HubState, nowMs: number): void {
  state.sentChars = 0
  for (const connection of state.connections) {
    if (connection.behindSinceMs !== null) continue
    if (connection.sink.bufferedBytes() > LIMITS.behindBytes)
      suspendConnection(state, connection, nowMs)
  }
}

/** Whether a connection has too many unsent bytes. Ends a connection that stays behind for too long. */
export function isSlow(state: HubState, connection: CallerConnection, nowMs: number): boolean {
  const { behindSinceMs, sink } = connection
  if (behindSinceMs === null) return false
  const bytes = sink.bufferedBytes()
  if (bytes <= CATCH_UP_BYTES) {
    connection.behindSinceMs = null
    return false
  }
  if (bytes > LIMITS.behindMaxBytes || nowMs - behindSinceMs > LIMITS.behindMaxMs) {
    endConnection(state, connection, STREAM_CLOSES.tooSlow, 'too slow')
  }
  return true
}

/** Removes a connection from its groups. It rejoins with a snapshot of each topic. */
function suspendConnection(state: HubState, connection: CallerConnection, nowMs: number): void {
  connection.behindSinceMs = nowMs
  state.joining.add(connection)
  for (const { group } of connection.subscriptions.topics) {
    connection.sink.leave(group)
    expect(state, connection, group, null)
  }
}
