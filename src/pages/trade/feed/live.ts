import type { TopicLine } from './line.ts'
import { prove, pushKnown, receive, syncSoon } from './live-messages.ts'
import {
  createTopicStates,
  type LiveEnvironment,
  type LiveState,
  noteMessage,
  RETRY_MIN_MS,
  type SignFeedAuth,
} from './live-state.ts'

export type LiveConnection = ReturnType<typeof createLiveConnection>

const RETRY_MAX_MS = 30_000
const TICK_MS = 5000
const QUIET_MS = 10_000
const DEAD_MS = 25_000

/**
 * Pushes the server's WebSocket messages to lines. Resumes books with `since` after a lost connection, and starts from
 * a snapshot after a gap.
 */
export function createLiveConnection(parts: LiveEnvironment) {
  const nothing = () => undefined
  const state: LiveState = {
    ...parts,
    lines: new Set(),
    topics: createTopicStates(),
    asked: new Set(),
    refused: new Map(),
    wire: null,
    isOpen: false,
    isOnline: true,
    prove: null,
    isProved: false,
    lastMessageAtMs: 0,
    retryMs: RETRY_MIN_MS,
    cancelSync: null,
    cancelRetry: nothing,
    cancelTick: nothing,
  }
  return {
    follow: (line: TopicLine) => {
      if (!line.topic.live) return
      state.lines.add(line)
      pushKnown(state, line)
      if (state.wire) syncSoon(state)
      else connect(state)
    },
    leave: (line: TopicLine) => {
      if (state.lines.delete(line)) syncSoon(state)
    },
    /** Sets the key that authenticates private topics; null without an account. */
    identify: (prove: SignFeedAuth | null) => identify(state, prove),
    /** Checks which topics are wanted, for example after the page was hidden or shown. */
    look: () => {
      if (state.isHidden()) releaseAll(state)
      syncSoon(state)
    },
    /** Connects now, or closes the connection. */
    setOnline: (isOnline: boolean) => {
      state.isOnline = isOnline
      state.retryMs = RETRY_MIN_MS
      if (isOnline) connect(state)
      else state.wire?.close()
    },
  }
}

function connect(state: LiveState): void {
  state.cancelRetry()
  if (state.wire || !state.isOnline) return
  state.lastMessageAtMs = state.nowMs()
  state.wire = state.openWire({
    onOpen: () => {
      state.isOpen = true
      noteMessage(state)
      syncSoon(state)
      void prove(state)
    },
    onMessage: (message) => receive(state, message),
    onEnd: () => ended(state),
  })
  tick(state)
}

function ended(state: LiveState): void {
  state.wire = null
  state.isOpen = false
  state.isProved = false
  state.asked.clear()
  state.cancelTick()
  releaseAll(state)
  if (!state.isOnline) return
  state.cancelRetry = state.after(state.retryMs * (0.5 + state.random() / 2), () => connect(state))
  state.retryMs = Math.min(state.retryMs * 2, RETRY_MAX_MS)
}

function releaseAll({ lines, lastMessageAtMs }: LiveState): void {
  for (const line of lines) line.release(lastMessageAtMs)
}

/** Checks with a ping that the server still answers, because a page does not see a WebSocket's heartbeats. */
function tick(state: LiveState): void {
  state.cancelTick = state.after(TICK_MS, () => {
    const quietMs = state.nowMs() - state.lastMessageAtMs
    if (quietMs > DEAD_MS) state.wire?.close()
    else {
      if (quietMs > QUIET_MS) state.wire?.send({ op: 'ping' })
      tick(state)
    }
  })
}

function identify(state: LiveState, next: SignFeedAuth | null): void {
  const hadAnother = state.prove !== null
  state.prove = next
  // A connection serves one account, so a change of account needs a new connection.
  if (hadAnother) state.wire?.close()
  else if (state.isOpen) void prove(state)
}
