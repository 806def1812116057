import { STREAM_LIMITS } from '../../contract/stream/limits.ts'
import { releaseReserve } from '../../core/loop/descriptor-reserve.ts'
import { after, every, guarded } from '../../core/loop/guarded.ts'
import type { Clock, Log, Random } from '../../core/ports.ts'
import { type LiveMessage, PONG_TEXT, readLive } from '../../upstream/wire/live-messages.ts'

/** The clock, random numbers and log of a socket. */
export type SocketWorld = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

type LiveSocketOptions = SocketWorld & {
  readonly url: string
  /** Called when the connection is open, for the first time or again. */
  readonly up: () => void
  readonly message: (message: LiveMessage) => void
  /** Called when the connection is lost. */
  readonly down: () => void
  /** Called when an unreadable message arrives. */
  readonly malformed: () => void
  /** Decides whether to reconnect. */
  readonly mayRetry: () => boolean
}

/** A connection to the venue's live feed that reconnects by itself. */
export type LiveSocket = {
  readonly isUp: () => boolean
  /** Sends a text. The text is lost while the connection is down. */
  readonly send: (text: string) => void
  readonly close: () => void
}

type State = LiveSocketOptions & {
  socket: WebSocket | null
  isUp: boolean
  isClosed: boolean
  receivedAtMs: number
  waitMaxMs: number
  retry: Timer | undefined
}

const SILENCE_CHECK_MS = 1000
const MALFORMED: LiveMessage = { kind: 'malformed' }
const { feedSilenceMs, feedBackoffMinMs, feedBackoffMaxMs, feedMessageMaxBytes } = STREAM_LIMITS

/**
 * Connects, answers pings, treats a long silence as a lost connection, and reconnects with backoff. The delay doubles
 * and is randomized within its bounds to spread reconnects.
 */
export function openSocket(parts: LiveSocketOptions): LiveSocket {
  const state: State = {
    ...parts,
    socket: null,
    isUp: false,
    isClosed: false,
    receivedAtMs: parts.clock.nowMs(),
    waitMaxMs: feedBackoffMinMs,
    retry: undefined,
  }
  const watch = every('upstream', SILENCE_CHECK_MS, () => checkSilence(state))
  connect(state)
  return {
    isUp: () => state.isUp,
    send: (text) => send(state, text),
    close: () => {
      state.isClosed = true
      state.isUp = false
      clearInterval(watch)
      clearTimeout(state.retry)
      const { socket } = state
      state.socket = null
      socket?.close()
    },
  }
}

function connect(state: State): void {
  state.receivedAtMs = state.clock.nowMs()
  releaseReserve()
  const socket = new WebSocket(state.url)
  state.socket = socket
  const gone = () => handleLostSocket(state, socket)
  const up = () => {
    if (socket !== state.socket) return
    state.isUp = true
    state.up()
  }
  const message = ({ data }: MessageEvent) => {
    if (socket === state.socket) receive(state, data)
  }
  // Reconnects after an unexpected error of a handler, since its state may be inconsistent.
  socket.onopen = guarded('upstream', up, gone)
  socket.onmessage = guarded('upstream', message, gone)
  socket.onerror = guarded('upstream', gone)
  socket.onclose = guarded('upstream', gone)
}

function receive(state: State, data: unknown): void {
  state.receivedAtMs = state.clock.nowMs()
  state.waitMaxMs = feedBackoffMinMs
  const isReadable = typeof data === 'string' && data.length <= feedMessageMaxBytes
  const message = isReadable ? readLive(data) : MALFORMED
  if (message.kind === 'ping') send(state, PONG_TEXT)
  else if (message.kind === 'malformed') state.malformed()
  else state.message(message)
}

function checkSilence(state: State): void {
  const { socket, clock, receivedAtMs } = state
  if (socket && clock.nowMs() - receivedAtMs > feedSilenceMs) handleLostSocket(state, socket)
}

function handleLostSocket(state: State, socket: WebSocket): void {
  if (socket !== state.socket) return
  const { isUp, log } = state
  state.socket = null
  state.isUp = false
  socket.close()
  log.warn('stream_lost', { wasUp: isUp })
  if (isUp) state.down()
  if (!state.isClosed && state.mayRetry()) {
    state.retry = after('upstream', nextWaitMs(state), () => connect(state))
  }
}

function nextWaitMs(state: State): number {
  const [randomByte = 0] = state.random.bytes(1)
  state.waitMaxMs = Math.min(state.waitMaxMs * 2, feedBackoffMaxMs)
  return feedBackoffMinMs + ((state.waitMaxMs - feedBackoffMinMs) * randomByte) / 255
}

function send({ isUp, socket }: State, text: string): void {
  if (isUp) socket?.send(text)
}
