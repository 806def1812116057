import type { AccountSink, Feed, FeedAuth, FeedMessage, FeedSink } from '../../core/feed.ts'
import { isObject, numberOf } from '../../core/json.ts'
import { type Clock, UpstreamError } from '../../core/ports.ts'
import type { Venue } from '../venue.ts'
import { type AccountWatch, watchAccount } from './account.ts'
import { bookNow, type LiveTopic, rowsOf, topicNamed } from './topics.ts'

/** The live wire of the embedded venue, in this process. */
export type LiveVenue = Feed & {
  readonly account: NonNullable<Feed['account']>
  /** Whether a topic exists, and its market with it. */
  readonly knows: (topic: string) => boolean
  /** Looks at the accounts that are listened to now, rather than at the next beat. */
  readonly nudge: () => void
}

type Parts = Pick<Venue, 'peek' | 'proves'> & { readonly clock: Clock }

const BEAT_MS = 200

type Listened = {
  readonly topic: LiveTopic
  readonly sinks: Set<FeedSink>
  shown: unknown
  /** The time of the last message, which the next one names. */
  lastMs: number
  lookedAtBeat: number
}

type Watched = { readonly watch: AccountWatch; readonly auth: FeedAuth; readonly sink: AccountSink }

type State = Parts & {
  readonly topics: Map<string, Listened>
  readonly accounts: Set<Watched>
  timer: Timer | null
  beats: number
}

/**
 * Tells what the venue's own reads show, on a beat, and only while somebody listens: whatever the venue is made of, the
 * wire says what its reads say.
 */
export function createLive(parts: Parts): LiveVenue {
  const state: State = {
    ...parts,
    topics: new Map(),
    accounts: new Set(),
    timer: null,
    beats: 0,
  }
  return {
    subscribe: (name, sink) => subscribe(state, name, sink),
    book: (symbol) => readBook(state, symbol),
    account: (auth, sink) => listenToAccount(state, auth, sink),
    knows: (name) => topicNamed(name)?.read(parts.peek) !== undefined,
    nudge: () => nudge(state),
    size: () => ({ topics: state.topics.size, accounts: state.accounts.size }),
    close: () => {
      state.topics.clear()
      state.accounts.clear()
      rest(state)
    },
  }
}

function wake(state: State): void {
  state.timer ??= setInterval(() => {
    state.beats += 1
    for (const [name, listened] of state.topics) look(state, name, listened)
    nudge(state)
  }, BEAT_MS)
  state.timer.unref()
}

function rest(state: State): void {
  if (state.topics.size + state.accounts.size > 0 || state.timer === null) return
  clearInterval(state.timer)
  state.timer = null
}

function look({ peek, clock, beats }: State, name: string, listened: Listened): void {
  const { topic, sinks, shown } = listened
  if ((beats - listened.lookedAtBeat) * BEAT_MS < topic.beatMs) return
  listened.lookedAtBeat = beats
  const now = topic.read(peek)
  listened.shown = now
  for (const data of topic.tell(now, shown)) {
    const { message, lastMs } = stamped(name, data, listened.lastMs, clock.nowMs())
    listened.lastMs = lastMs
    for (const sink of sinks) sink.message(message)
  }
}

function subscribe(state: State, name: string, sink: FeedSink): () => void {
  const { topics } = state
  const listened = topics.get(name) ?? listen(state, name)
  listened?.sinks.add(sink)
  queueMicrotask(sink.opened)
  return () => {
    listened?.sinks.delete(sink)
    if (listened?.sinks.size === 0) topics.delete(name)
    rest(state)
  }
}

function listen(state: State, name: string): Listened | undefined {
  const { peek, clock, beats, topics } = state
  const topic = topicNamed(name)
  if (!topic) return undefined
  const listened = {
    topic,
    sinks: new Set<FeedSink>(),
    shown: topic.read(peek),
    lastMs: clock.nowMs(),
    lookedAtBeat: beats,
  }
  topics.set(name, listened)
  wake(state)
  return listened
}

/** The book as it was told last, where it is listened to; what follows then follows it. */
async function readBook({ topics, peek, clock }: State, symbol: string): Promise<FeedMessage> {
  const topic = `${symbol}@orderbookupdate`
  const listened = topics.get(topic)
  const data = listened ? listened.shown : bookNow(peek, symbol)
  if (!data) throw new UpstreamError('content_type', true)
  return { topic, atMs: listened?.lastMs ?? clock.nowMs(), data }
}

function listenToAccount(state: State, auth: FeedAuth, sink: AccountSink): () => void {
  const { proves, peek, accounts } = state
  if (!proves(auth)) {
    queueMicrotask(sink.refused)
    return () => undefined
  }
  const watch = watchAccount(peek, auth.accountId.toLowerCase())
  const watched = { watch, auth, sink }
  watch()
  accounts.add(watched)
  wake(state)
  queueMicrotask(sink.opened)
  return () => {
    accounts.delete(watched)
    rest(state)
  }
}

function nudge({ accounts, peek, clock }: State): void {
  for (const watched of [...accounts]) {
    const { auth, sink, watch } = watched
    if (isHeld(peek, auth)) {
      for (const { topic, data } of watch()) sink.message({ topic, atMs: clock.nowMs(), data })
    } else {
      accounts.delete(watched)
      sink.refused()
    }
  }
}

/** Whether the account still has the key: it may have been removed, or have expired. */
function isHeld(peek: Venue['peek'], { accountId, key }: FeedAuth): boolean {
  const of = { accountId: accountId.toLowerCase() }
  const found = peek('/v1/client/key_info?key_status=ACTIVE', of)
  return rowsOf(found).some((row) => row['orderly_key'] === key)
}

/** A message with its time: that of what happened, where it says so. Times of a topic with `prevTs` rise. */
function stamped(topic: string, data: unknown, lastMs: number, nowMs: number) {
  if (topic.endsWith('@orderbookupdate') && isObject(data)) {
    const atMs = Math.max(nowMs, lastMs + 1)
    return { message: { topic, atMs, data: { ...data, prevTs: lastMs } }, lastMs: atMs }
  }
  const { ts, ...said } = isObject(data) ? data : {}
  const atMs = numberOf(ts) ?? nowMs
  return { message: { topic, atMs, data: ts === undefined ? data : said }, lastMs: nowMs }
}
