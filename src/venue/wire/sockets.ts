import type { FeedAuth, FeedMessage, FeedSink } from '../../core/feed.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import { after, detached, every } from '../../core/loop/guarded.ts'
import type { Clock } from '../../core/ports.ts'
import { ACCOUNT_TOPICS } from '../live/account.ts'
import type { LiveVenue } from '../live/live.ts'

/** Sizes, counts and times of the venue's own listener. The unit is the last word of each name. */
export const WIRE_LIMITS = {
  bodyMaxBytes: 256 * 1024,
  socketsMax: 4096,
  socketMessageMaxBytes: 16 * 1024,
  /** Whoever leaves more than this unread is dropped. */
  socketUnreadMaxBytes: 4 * 1024 * 1024,
  subscriptionsPerSocketMax: 1000,
  socketPingMs: 10_000,
  /** Whoever answers none of so many pings is dropped. */
  socketPingsMissedMax: 10,
  /** Anybody who has not said who they are by then is dropped. */
  socketAuthMs: 10_000,
} as const

/** What a socket of the venue's live wire is for: everybody (null), or the owner of an account. */
export type SocketPlace = {
  readonly accountId: string | null
  /** What the address itself says to prove a key; null where it says nothing. */
  readonly proof: Said | null
}

type Said = Readonly<Record<string, unknown>>

/** The place that a path with its query opens; null for one that opens none. */
export function placeOf(target: string): SocketPlace | null {
  const [path = '', query = ''] = target.split('?', 2)
  if (/^\/ws\/stream\/[\w-]{1,80}$/.test(path)) return { accountId: null, proof: null }
  const [, accountId] = /^\/v2\/ws\/private\/stream\/(0x[0-9a-fA-F]{64})$/.exec(path) ?? []
  if (accountId === undefined) return null
  const said = Object.fromEntries(new URLSearchParams(query))
  return { accountId, proof: 'orderly_key' in said ? said : null }
}

/** Whether a path belongs to the live wire, also when it names nobody. */
export function isStreamPath(target: string): boolean {
  return /^(\/v2)?\/ws(\/|\?|$)/.test(target)
}

/** One open socket: takes the client's texts, and is told when it has gone. */
export type SocketTalk = { readonly receive: (text: string) => void; readonly gone: () => void }

type Parts = {
  readonly live: LiveVenue
  readonly clock: Clock
  readonly place: SocketPlace
  readonly send: (text: string) => void
  readonly close: () => void
}

type State = Parts & {
  /** How to end what was subscribed, by topic, and of the account's proof. */
  readonly ends: Map<string, () => void>
  /** The private topics that were asked for. */
  readonly wanted: Set<string>
  /** Whether the account's key has been proved. */
  isProved: boolean
  /** Pings since anything was last heard. */
  missed: number
}

const PROOF = 'proof'

/** Speaks the venue's live wire with one client. */
export function openTalk(parts: Parts): SocketTalk {
  const state: State = { ...parts, ends: new Map(), wanted: new Set(), isProved: false, missed: 0 }
  const { ends, close, place } = state
  const beat = every('venue', WIRE_LIMITS.socketPingMs, () => ping(state))
  const patience = after('venue', WIRE_LIMITS.socketAuthMs, () => {
    if (place.accountId !== null && !ends.has(PROOF)) close()
  })
  if (place.proof) authenticate(state, { event: 'auth', params: place.proof })
  return {
    receive: (text) => {
      state.missed = 0
      act(state, parsed(text))
    },
    gone: () => {
      clearInterval(beat)
      clearTimeout(patience)
      for (const end of ends.values()) end()
      ends.clear()
    },
  }
}

function ping(state: State): void {
  state.missed += 1
  if (state.missed > WIRE_LIMITS.socketPingsMissedMax) state.close()
  else say(state, { event: 'ping', ts: state.clock.nowMs() })
}

function act(state: State, said: Said): void {
  const { event: named } = said
  const event = typeof named === 'string' ? named : ''
  if (event === 'pong') return
  const deed = Object.hasOwn(DEEDS, event) ? DEEDS[event] : undefined
  if (deed) deed(state, said)
  else answer(state, said, 'event' in said ? 'invalid event' : 'missing required parameter event')
}

const DEEDS: Readonly<Record<string, (state: State, said: Said) => void>> = {
  subscribe,
  unsubscribe,
  request: (state, said) => detached('venue', request(state, said)),
  auth: authenticate,
  ping: (state) => say(state, { event: 'pong', ts: state.clock.nowMs() }),
}

function say({ send }: State, message: object): void {
  send(JSON.stringify(message))
}

/** Answers what was asked: with data, with nothing more than that it is done, or with why it is not. */
function answer(state: State, { id, event }: Said, outcome: { data?: unknown } | string): void {
  const ts = state.clock.nowMs()
  if (typeof outcome === 'string') {
    say(state, { id, event, success: false, ts, errorMsg: outcome })
  } else {
    say(state, { id, event, success: true, ts, ...outcome })
  }
}

/** Messages as their texts: many sockets are told the same one, and it is written down once. */
const TEXTS = new WeakMap<FeedMessage, string>()

function textOf(message: FeedMessage): string {
  const known = TEXTS.get(message)
  if (known !== undefined) return known
  const { topic, atMs, data } = message
  const text = JSON.stringify({ topic, ts: atMs, data })
  TEXTS.set(message, text)
  return text
}

function sinkOf({ place, wanted, close, send }: State, opened: () => void): FeedSink {
  return {
    message: (message) => {
      if (place.accountId === null || wanted.has(message.topic)) send(textOf(message))
    },
    opened,
    lost: close,
  }
}

function subscribe(state: State, said: Said): void {
  const { topic } = said
  const fault =
    typeof topic === 'string' ? faultOf(state, topic) : 'missing required parameter topic'
  answer(state, said, fault ?? {})
  if (fault !== null || typeof topic !== 'string') return
  const { place, ends, wanted, live } = state
  if (place.accountId !== null) {
    wanted.add(topic)
    if (state.isProved) tellState(state, place.accountId, topic)
  } else if (!ends.has(topic)) ends.set(topic, live.subscribe(topic, sinkOf(state, nothing)))
}

function tellState({ live, send }: State, accountId: string, topic: string): void {
  const shown = live.stateOf(accountId, topic)
  if (shown) send(textOf(shown))
}

function faultOf({ place, ends, wanted, live }: State, topic: string): string | null {
  if (ends.size + wanted.size >= WIRE_LIMITS.subscriptionsPerSocketMax)
    return 'too many subscriptions'
  if (place.accountId === null) return live.fault(topic)
  if (!ACCOUNT_TOPICS.includes(topic)) return `invalid topic ${topic.slice(0, SHOWN_CHARS)}`
  return ends.has(PROOF) ? null : 'auth failed'
}

const SHOWN_CHARS = 80
const nothing = (): void => undefined

function unsubscribe(state: State, said: Said): void {
  const topic = textIn(said['topic'])
  state.wanted.delete(topic)
  if (topic !== PROOF) {
    state.ends.get(topic)?.()
    state.ends.delete(topic)
  }
  answer(state, said, {})
}

async function request(state: State, said: Said): Promise<void> {
  const { type, symbol } = isObject(said['params']) ? said['params'] : {}
  if (type !== 'orderbook') {
    answer(state, said, type === undefined ? 'missing required parameter type' : 'invalid type')
    return
  }
  try {
    const { atMs, data } = await state.live.book(textIn(symbol))
    answer(state, said, { data: { ...(isObject(data) ? data : {}), ts: atMs } })
  } catch {
    answer(state, said, `invalid symbol ${textIn(symbol).slice(0, SHOWN_CHARS)}`)
  }
}

function authenticate(state: State, said: Said): void {
  const { place, ends, live, close } = state
  const { orderly_key, timestamp, sign } = isObject(said['params']) ? said['params'] : {}
  const auth: FeedAuth = {
    accountId: place.accountId ?? '',
    key: textIn(orderly_key),
    timestamp: textIn(timestamp),
    signature: textIn(sign),
  }
  const refused = () => {
    answer(state, said, 'auth failed')
    close()
  }
  ends.get(PROOF)?.()
  const opened = () => {
    answer(state, said, {})
    state.isProved = true
    for (const topic of state.wanted) tellState(state, auth.accountId, topic)
  }
  state.isProved = false
  ends.set(PROOF, live.account(auth, { ...sinkOf(state, opened), refused, expired: close }))
}

/** What is no JSON object asks for nothing that there is. */
function parsed(text: string): Said {
  const said = parsedJson(text)
  return isObject(said) ? said : {}
}

/** A member of a client's message as text; '' for what is neither text nor number. */
function textIn(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}
