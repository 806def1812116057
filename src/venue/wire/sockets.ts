import type { FeedAuth, FeedMessage, FeedSink } from '../../core/feed.ts'
import { isObject } from '../../core/json.ts'
import type { Clock } from '../../core/ports.ts'
import type { LiveVenue } from '../live/live.ts'

/** What a socket of the venue's live wire is for: everybody (null), or the owner of an account. */
export type SocketPlace = { readonly accountId: string | null }

/** The place that a path opens; null for one that opens none. */
export function placeOf(path: string): SocketPlace | null {
  if (/^\/ws\/stream\/[\w-]{1,80}$/.test(path)) return { accountId: null }
  const [, accountId] = /^\/v2\/ws\/private\/stream\/(0x[0-9a-fA-F]{64})$/.exec(path) ?? []
  return accountId === undefined ? null : { accountId }
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
}

const PING_MS = 10_000
/** Anybody who has not said who they are by then is dropped. */
const AUTH_MS = 10_000
const PROOF = 'proof'

type Said = Readonly<Record<string, unknown>>

/** Speaks the venue's live wire with one client. */
export function openTalk(parts: Parts): SocketTalk {
  const state: State = { ...parts, ends: new Map(), wanted: new Set() }
  const { ends, clock, close, place } = state
  const ping = setInterval(() => say(state, { event: 'ping', ts: clock.nowMs() }), PING_MS)
  const patience = setTimeout(() => {
    if (place.accountId !== null && !ends.has(PROOF)) close()
  }, AUTH_MS)
  return {
    receive: (text) => act(state, parsed(text)),
    gone: () => {
      clearInterval(ping)
      clearTimeout(patience)
      for (const end of ends.values()) end()
      ends.clear()
    },
  }
}

function act(state: State, said: Said): void {
  const event = String(said['event'])
  if (event === 'pong') return
  const deed = Object.hasOwn(DEEDS, event) ? DEEDS[event] : undefined
  if (deed) deed(state, said)
  else answer(state, said, 'invalid event')
}

const DEEDS: Readonly<Record<string, (state: State, said: Said) => void>> = {
  subscribe,
  unsubscribe,
  request: (state, said) => void request(state, said),
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

function sinkOf(state: State, opened: () => void): FeedSink {
  const { place, wanted, close } = state
  return {
    message: ({ topic, atMs, data }: FeedMessage) => {
      if (place.accountId === null || wanted.has(topic)) say(state, { topic, ts: atMs, data })
    },
    opened,
    lost: close,
  }
}

function subscribe(state: State, said: Said): void {
  const topic = String(said['topic'])
  const { place, ends, live } = state
  if (place.accountId !== null) {
    state.wanted.add(topic)
    answer(state, said, ends.has(PROOF) ? {} : 'auth failed')
  } else if (live.knows(topic)) {
    answer(state, said, {})
    if (!ends.has(topic))
      ends.set(
        topic,
        live.subscribe(
          topic,
          sinkOf(state, () => undefined),
        ),
      )
  } else {
    answer(state, said, `invalid topic ${topic.slice(0, 80)}`)
  }
}

function unsubscribe(state: State, said: Said): void {
  const topic = String(said['topic'])
  state.wanted.delete(topic)
  state.ends.get(topic)?.()
  state.ends.delete(topic)
  answer(state, said, {})
}

async function request(state: State, said: Said): Promise<void> {
  const { type, symbol } = isObject(said['params']) ? said['params'] : {}
  if (type !== 'orderbook') {
    answer(state, said, 'invalid type')
    return
  }
  try {
    const { atMs, data } = await state.live.book(String(symbol))
    answer(state, said, { data: { ...(isObject(data) ? data : {}), ts: atMs } })
  } catch {
    answer(state, said, `invalid symbol ${String(symbol).slice(0, 40)}`)
  }
}

function authenticate(state: State, said: Said): void {
  const { place, ends, live, close } = state
  const { orderly_key, timestamp, sign } = isObject(said['params']) ? said['params'] : {}
  const auth: FeedAuth = {
    accountId: place.accountId ?? '',
    key: String(orderly_key),
    timestamp: String(timestamp),
    signature: String(sign),
  }
  const refused = () => {
    answer(state, said, 'auth failed')
    close()
  }
  ends.get(PROOF)?.()
  const sink = sinkOf(state, () => answer(state, said, {}))
  ends.set(PROOF, live.account(auth, { ...sink, refused, expired: close }))
}

/** What is no JSON object asks for nothing that there is. */
function parsed(text: string): Said {
  try {
    const said: unknown = JSON.parse(text)
    return isObject(said) ? said : {}
  } catch {
    return {}
  }
}
