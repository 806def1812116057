import { hear, prove, syncSoon, tellKnown } from './live-messages.ts'
import {
  createToldTopics,
  heard,
  type LiveParts,
  type Prove,
  RETRY_MIN_MS,
  type State,
} from './live-state.ts'
import type { Teller } from './polling.ts'

export type LiveTeller = Teller & {
  /** Who listens from now on; null is nobody. */
  readonly identify: (prove: Prove | null) => void
  /** Looks again at what is wanted, such as when the page was hidden or shown. */
  readonly look: () => void
  /** Connects now, or gives the connection up. */
  readonly setOnline: (isOnline: boolean) => void
}

const RETRY_MAX_MS = 30_000
const TICK_MS = 5000
const QUIET_MS = 10_000
const DEAD_MS = 25_000

/** Tells lines by the server's WebSocket as long as there is one: with `since` after a break, and from a snapshot after a gap. */
export function createLive(parts: LiveParts): LiveTeller {
  const nothing = () => undefined
  const state: State = {
    ...parts,
    lines: new Set(),
    told: createToldTopics(),
    asked: new Set(),
    refused: new Map(),
    ...{ wire: null, isOpen: false, isOnline: true, prove: null, isProved: false },
    ...{ heardAtMs: 0, retryMs: RETRY_MIN_MS },
    ...{ cancelSync: null, cancelRetry: nothing, cancelTick: nothing },
  }
  return {
    follow: (line) => {
      if (!line.topic.live) return
      state.lines.add(line)
      tellKnown(state, line)
      if (state.wire) syncSoon(state)
      else connect(state)
    },
    leave: (line) => {
      if (state.lines.delete(line)) syncSoon(state)
    },
    identify: (prove) => identify(state, prove),
    look: () => {
      if (state.isHidden()) releaseAll(state)
      syncSoon(state)
    },
    setOnline: (isOnline) => {
      state.isOnline = isOnline
      state.retryMs = RETRY_MIN_MS
      if (isOnline) connect(state)
      else state.wire?.close()
    },
  }
}

function connect(state: State): void {
  state.cancelRetry()
  if (state.wire || !state.isOnline) return
  state.heardAtMs = state.nowMs()
  state.wire = state.openWire({
    onOpen: () => {
      state.isOpen = true
      heard(state)
      syncSoon(state)
      void prove(state)
    },
    onMessage: (message) => hear(state, message),
    onEnd: () => ended(state),
  })
  tick(state)
}

function ended(state: State): void {
  state.wire = null
  state.isOpen = false
  state.isProved = false
  state.asked.clear()
  state.cancelTick()
  releaseAll(state)
  if (!state.isOnline) return
  state.cancelRetry = state.after(state.retryMs * (0.5 + state.chance() / 2), () => connect(state))
  state.retryMs = Math.min(state.retryMs * 2, RETRY_MAX_MS)
}

function releaseAll({ lines, heardAtMs }: State): void {
  for (const line of lines) line.release(heardAtMs)
}

/** Looks whether anybody is still at the other end: a page is not told of the heartbeats of a WebSocket. */
function tick(state: State): void {
  state.cancelTick = state.after(TICK_MS, () => {
    const quietMs = state.nowMs() - state.heardAtMs
    if (quietMs > DEAD_MS) state.wire?.close()
    else {
      if (quietMs > QUIET_MS) state.wire?.send({ op: 'ping' })
      tick(state)
    }
  })
}

function identify(state: State, next: Prove | null): void {
  const hadAnother = state.prove !== null
  state.prove = next
  // A connection belongs to one account.
  if (hadAnother) state.wire?.close()
  else if (state.isOpen) void prove(state)
}
