import type { FeedAuth, FeedMessage, FeedSink } from '../../core/feed.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import { after, detached, every, reportUnexpected } from '../../core/loop/guarded.ts'
import { type Clock, UpstreamError } from '../../core/ports.ts'
import { PRIVATE_TOPICS } from '../stream/account.ts'
import type { LiveVenue } from '../stream/live.ts'

/** Limits of the venue's own listener. Each name ends with its unit. */
export const WIRE_LIMITS = {
  bodyMaxBytes: 256 * 1024,
  socketsMax: 4096,
  socketMessageMaxBytes: 16 * 1024,
  /** Unread bytes beyond which a client is disconnected. */
  socketUnreadMaxBytes: 4 * 1024 * 1024,
  subscriptionsPerSocketMax: 1000,
  socketPingMs: 10_000,
  /** Number of missed pings in a row after which a client is disconnected. */
  socketPingsMissedMax: 10,
  /** Time after which a private socket without authentication is closed. */
  socketAuthMs: 10_000,
} as const

/** The socket at a path: the public socket (null), or an account's private socket. */
export type SocketTarget = {
  readonly accountId: string | null
  /** Authentication given in the address; null without authentication. */
  readonly proof: ClientMessage | null
}

type ClientMessage = Readonly<Record<string, unknown>>

/** The socket at a path with its query; null for an unknown path. */
export function toSocketTarget(target: string): SocketTarget | null {
  const [path = '', query = ''] = target.split('?', 2)
  if (/^\/ws\/stream\/[\w-]{1,80}$/.test(path)) return { accountId: null, proof: null }
  const [, accountId] = /^\/v2\/ws\/private\/stream\/(0x[0-9a-fA-F]{64})$/.exec(path) ?? []
  if (accountId === undefined) return null
  const message = Object.fromEntries(new URLSearchParams(query))
  return { accountId, proof: 'orderly_key' in message ? message : null }
}

/** Whether a path belongs to the live feed, even if its account is invalid. */
export function isStreamPath(target: string): boolean {
  return /^(\/v2)?\/ws(\/|\?|$)/.test(target)
}

/** An open socket. `receive` gets the client's texts; `gone` is called when the socket ends. */
export type SocketSession = { readonly receive: (text: string) => void; readonly gone: () => void }

type SocketConnection = {
  readonly live: LiveVenue
  readonly clock: Clock
  readonly place: SocketTarget
  readonly send: (text: string) => void
  readonly close: () => void
}

type State = SocketConnection & {
  /** Functions that end the subscriptions, by topic. */
  readonly ends: Map<string, () => void>
  /** Private topics that the client has requested. */
  readonly wanted: Set<string>
  /** Whether the client has proved a key of the account. */
  isProved: boolean
  /** Number of pings since the client's last message. */
  missed: number
}

const PROOF = 'proof'

/** Serves the venue's live feed to one client. */
export function openSession(parts: SocketConnection): SocketSession {
  const state: State = { ...parts, ends: new Map(), wanted: new Set(), isProved: false, missed: 0 }
  const { ends, close, place } = state
  const pings = every('venue', WIRE_LIMITS.socketPingMs, () => ping(state))
  const authDeadline = after('venue', WIRE_LIMITS.socketAuthMs, () => {
    if (place.accountId !== null && !ends.has(PROOF)) close()
  })
  if (place.proof) authenticate(state, { event: 'auth', params: place.proof })
  return {
    receive: (text) => {
      state.missed = 0
      receive(state, parsed(text))
    },
    gone: () => {
      clearInterval(pings)
      clearTimeout(authDeadline)
      for (const end of ends.values()) end()
      ends.clear()
    },
  }
}

function ping(state: State): void {
  state.missed += 1
  if (state.missed > WIRE_LIMITS.socketPingsMissedMax) state.close()
  else sendMessage(state, { event: 'ping', ts: state.clock.nowMs() })
}

function receive(state: State, message: ClientMessage): void {
  const { event: named } = message
  const event = typeof named === 'string' ? named : ''
  if (event === 'pong') return
  const action = Object.hasOwn(ACTIONS, event) ? ACTIONS[event] : undefined
  if (action) action(state, message)
  else
    answer(
      state,
      message,
      'event' in message ? 'invalid event' : 'missing required parameter event',
    )
}

const ACTIONS: Readonly<Record<string, (state: State, message: ClientMessage) => void>> = {
  subscribe,
  unsubscribe,
  request: (state, message) => detached('venue', request(state, message)),
  auth: authenticate,
  ping: (state) => sendMessage(state, { event: 'pong', ts: state.clock.nowMs() }),
}

function sendMessage({ send }: State, message: object): void {
  send(JSON.stringify(message))
}

/** Answers a client's message with data, with a confirmation, or with the reason of a refusal. */
function answer(
  state: State,
  { id, event }: ClientMessage,
  outcome: { data?: unknown } | string,
): void {
  const ts = state.clock.nowMs()
  if (typeof outcome === 'string') {
    sendMessage(state, { id, event, success: false, ts, errorMsg: outcome })
  } else {
    sendMessage(state, { id, event, success: true, ts, ...outcome })
  }
}

/** The text of each message, so that it is serialised once for all sockets. */
const TEXTS = new WeakMap<FeedMessage, string>()

function messageText(message: FeedMessage): string {
  const known = TEXTS.get(message)
  if (known !== undefined) return known
  const { topic, atMs, data } = message
  const text = JSON.stringify({ topic, ts: atMs, data })
  TEXTS.set(message, text)
  return text
}

function socketSink({ place, wanted, close, send }: State, opened: () => void): FeedSink {
  return {
    message: (message) => {
      if (place.accountId === null || wanted.has(message.topic)) send(messageText(message))
    },
    opened,
    lost: close,
  }
}

function subscribe(state: State, message: ClientMessage): void {
  const { topic } = message
  const fault =
    typeof topic === 'string' ? subscriptionFault(state, topic) : 'missing required parameter topic'
  answer(state, message, fault ?? {})
  if (fault !== null || typeof topic !== 'string') return
  const { place, ends, wanted, live } = state
  if (place.accountId !== null) {
    wanted.add(topic)
    if (state.isProved) sendState(state, place.accountId, topic)
  } else if (!ends.has(topic)) ends.set(topic, live.subscribe(topic, socketSink(state, nothing)))
}

function sendState({ live, send }: State, accountId: string, topic: string): void {
  const shown = live.stateOf(accountId, topic)
  if (shown) send(messageText(shown))
}

function subscriptionFault({ place, ends, wanted, live }: State, topic: string): string | null {
  if (ends.size + wanted.size >= WIRE_LIMITS.subscriptionsPerSocketMax)
    return 'too many subscriptions'
  if (place.accountId === null) return live.fault(topic)
  if (!PRIVATE_TOPICS.includes(topic)) return `invalid topic ${topic.slice(0, SHOWN_CHARS)}`
  return ends.has(PROOF) ? null : 'auth failed'
}

const SHOWN_CHARS = 80
const nothing = (): void => undefined

function unsubscribe(state: State, message: ClientMessage): void {
  const topic = textIn(message['topic'])
  state.wanted.delete(topic)
  if (topic !== PROOF) {
    state.ends.get(topic)?.()
    state.ends.delete(topic)
  }
  answer(state, message, {})
}

async function request(state: State, message: ClientMessage): Promise<void> {
  const { type, symbol } = isObject(message['params']) ? message['params'] : {}
  if (type !== 'orderbook') {
    answer(state, message, type === undefined ? 'missing required parameter type' : 'invalid type')
    return
  }
  try {
    const { atMs, data } = await state.live.book(textIn(symbol))
    answer(state, message, { data: { ...(isObject(data) ? data : {}), ts: atMs } })
  } catch (error) {
    reportUnexpected('venue', error, UpstreamError)
    answer(state, message, `invalid symbol ${textIn(symbol).slice(0, SHOWN_CHARS)}`)
  }
}

function authenticate(state: State, message: ClientMessage): void {
  const { place, ends, live, close } = state
  const { orderly_key, timestamp, sign } = isObject(message['params']) ? message['params'] : {}
  const auth: FeedAuth = {
    accountId: place.accountId ?? '',
    key: textIn(orderly_key),
    timestamp: textIn(timestamp),
    signature: textIn(sign),
  }
  const refused = () => {
    answer(state, message, 'auth failed')
    close()
  }
  ends.get(PROOF)?.()
  const opened = () => {
    answer(state, message, {})
    state.isProved = true
    for (const topic of state.wanted) sendState(state, auth.accountId, topic)
  }
  state.isProved = false
  ends.set(PROOF, live.account(auth, { ...socketSink(state, opened), refused, expired: close }))
}

/** The client's message; empty if the text is not a JSON object. */
function parsed(text: string): ClientMessage {
  const message = parsedJson(text)
  return isObject(message) ? message : {}
}

/** A text or a number in a client's message as text; '' for any other value. */
function textIn(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}
