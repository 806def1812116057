import { STREAM_LIMITS } from '../../contract/stream/limits.ts'
import type { FeedSink } from '../../core/feed.ts'
import { after } from '../../core/loop/guarded.ts'
import { decide } from '../../gateway/limits/gcra.ts'
import { LIVE_PATHS } from '../../upstream/wire/live.ts'
import {
  type LiveMessage,
  subscribeText,
  unsubscribeText,
} from '../../upstream/wire/live-messages.ts'
import { type LiveSocket, openSocket, type SocketWorld } from './socket.ts'

/** One socket and its topics. */
export type FeedSocket = { readonly socket: LiveSocket; readonly topics: Set<string> }

/** A subscribed topic. `line`: its connection. `isOpen`: the venue has confirmed the subscription. */
type Subscribed = {
  readonly line: FeedSocket
  readonly sinks: Set<FeedSink>
  isOpen: boolean
}

/** The subscriptions at one venue, distributed over sockets. */
export type FeedSockets = SocketWorld & {
  readonly url: URL
  readonly lines: Set<FeedSocket>
  readonly topics: Map<string, Subscribed>
  /** Subscriptions that wait to be sent. */
  readonly waiting: Set<string>
  readonly message: (message: LiveMessage) => void
  readonly malformed: () => void
  /** Called when a line is lost, with all its pending requests. */
  readonly lost: (line: FeedSocket) => void
  rateMs: number | undefined
  pump: Timer | undefined
}

const RATE = {
  requests: STREAM_LIMITS.feedSubscribesPerSecond,
  seconds: 1,
  burst: STREAM_LIMITS.feedSubscribesPerSecond,
} as const

/** Adds a topic to a line with room and subscribes it. */
export function addTopic(state: FeedSockets, topic: string): Subscribed {
  const subscribed = { line: socketWithRoom(state), sinks: new Set<FeedSink>(), isOpen: false }
  state.topics.set(topic, subscribed)
  subscribed.line.topics.add(topic)
  state.waiting.add(topic)
  sendWaiting(state)
  return subscribed
}

/** Removes a topic from its line; an empty line is closed. */
export function dropTopic(state: FeedSockets, topic: string, { line }: Subscribed): void {
  state.topics.delete(topic)
  state.waiting.delete(topic)
  line.topics.delete(topic)
  line.socket.send(unsubscribeText(topic))
  if (line.topics.size > 0) return
  state.lines.delete(line)
  line.socket.close()
}

/** Records that the venue has confirmed a subscription. */
export function confirmSubscription({ topics }: FeedSockets, topic: string): void {
  const subscribed = topics.get(topic)
  if (!subscribed || subscribed.isOpen) return
  subscribed.isOpen = true
  for (const sink of subscribed.sinks) sink.opened()
}

function socketWithRoom(state: FeedSockets): FeedSocket {
  for (const line of state.lines) {
    if (line.topics.size < STREAM_LIMITS.feedTopicsPerSocket) return line
  }
  return openFeedSocket(state)
}

function openFeedSocket(state: FeedSockets): FeedSocket {
  const topics = new Set<string>()
  const socket = openSocket({
    clock: state.clock,
    random: state.random,
    log: state.log,
    url: socketUrl(state.url, LIVE_PATHS.open),
    up: () => {
      for (const topic of topics) state.waiting.add(topic)
      sendWaiting(state)
    },
    message: state.message,
    malformed: state.malformed,
    down: () => lose(state, line),
    mayRetry: () => true,
  })
  const line: FeedSocket = { topics, socket }
  state.lines.add(line)
  return line
}

/** The WebSocket URL of a path. Settings contain the corresponding HTTP URL. */
export function socketUrl({ origin }: URL, path: string): string {
  return origin.replace(/^http/, 'ws') + path
}

/** Sends waiting subscriptions at the rate that the venue allows. Subscriptions of a disconnected line keep waiting. */
function sendWaiting(state: FeedSockets): void {
  clearTimeout(state.pump)
  for (const topic of state.waiting) {
    const line = state.topics.get(topic)?.line
    if (line?.socket.isUp()) {
      const { allowed, atMs, retryAfterMs } = decide(state.rateMs, state.clock.nowMs(), RATE)
      if (!allowed) {
        state.pump = after('upstream', retryAfterMs, () => sendWaiting(state))
        return
      }
      state.rateMs = atMs
      line.socket.send(subscribeText(topic))
    }
    state.waiting.delete(topic)
  }
}

function lose(state: FeedSockets, line: FeedSocket): void {
  for (const topic of line.topics) {
    const subscribed = state.topics.get(topic)
    if (!subscribed?.isOpen) continue
    subscribed.isOpen = false
    for (const sink of subscribed.sinks) sink.lost()
  }
  state.lost(line)
}
