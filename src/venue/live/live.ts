import type { AccountSink, Feed, FeedAuth, FeedMessage, FeedSink } from '../../core/feed.ts'
import { type Clock, UpstreamError } from '../../core/ports.ts'
import type { Floor } from '../exchange/floor.ts'
import type { Pace } from '../pace.ts'
import type { Venue } from '../venue.ts'
import { type AccountWatch, accountState, isHeld, watchAccount } from './account.ts'
import { bookNow } from './books.ts'
import { createHappenings, type Happenings } from './happenings.ts'
import { stamped } from './stamp.ts'
import type { LiveTopic } from './topic.ts'
import { faultOf, topicNamed } from './topics.ts'

/** The live wire of the embedded venue, in this process. */
export type LiveVenue = Feed & {
  readonly account: NonNullable<Feed['account']>
  /** What a private topic shows now, where it has a state. Whoever asks has proved a key of the account. */
  readonly stateOf: (accountId: string, topic: string) => FeedMessage | null
  /** Why a topic cannot be had, in the wire's words; null where it can. */
  readonly fault: (topic: string) => string | null
  /** Something was asked that may have changed something: looks now, rather than at the next beat. */
  readonly nudge: () => void
  /** The world has come to now: where time stands still between, that is when there is something to tell. */
  readonly moved: () => void
}

type Parts = Pick<Venue, 'peek' | 'proves'> &
  Pick<Pace, 'ready' | 'isBehind'> & {
    readonly clock: Clock
    /** Whether the venue's time stands still until it is told to move: then nothing is told by the wall's. */
    readonly isStill: () => boolean
    readonly hasMarket: (symbol: string) => boolean
    readonly floor: () => Floor
  }

const BEAT_MS = 200

type Listened = {
  readonly topic: LiveTopic
  readonly sinks: Set<FeedSink>
  shown: unknown
  /** The time of the last message, which the next one names. */
  lastMs: number
  lookedAtBeat: number
  toldAtBeat: number
}

type Watched = { readonly watch: AccountWatch; readonly auth: FeedAuth; readonly sink: AccountSink }

type State = Parts & {
  readonly happenings: Happenings
  readonly topics: Map<string, Listened>
  readonly accounts: Set<Watched>
  timer: Timer | null
  beats: number
  movedMs: number
}

/**
 * Tells what the venue's own reads show, on a beat, and only while somebody listens: whatever the venue is made of, the
 * wire says what its reads say. Trades and executions are heard as they happen, so that none is left out.
 */
export function createLive(parts: Parts): LiveVenue {
  const state: State = {
    ...parts,
    happenings: createHappenings(parts.floor),
    topics: new Map(),
    accounts: new Set(),
    timer: null,
    beats: 0,
    movedMs: 0,
  }
  return {
    subscribe: (name, sink) => whenReady(state, () => subscribe(state, name, sink)),
    book: (symbol) => readBook(state, symbol),
    account: (auth, sink) => whenReady(state, () => listenToAccount(state, auth, sink)),
    stateOf: (accountId, name) => {
      const state = accountState(parts.peek, accountId.toLowerCase(), name)
      return state && { ...state, atMs: parts.clock.nowMs() }
    },
    fault: (name) => faultOf(name, parts.hasMarket),
    nudge: () => nudge(state),
    moved: () => moved(state),
    size: () => ({ topics: state.topics.size, accounts: state.accounts.size }),
    close: () => {
      for (const name of [...state.topics.keys()]) drop(state, name)
      for (const watched of [...state.accounts]) leave(state, watched)
    },
  }
}

/** Begins when the world is at now, unless it was ended before. */
function whenReady({ ready: look }: Parts, begin: () => () => void): () => void {
  const wait = look()
  if (wait === null) return begin()
  let end: (() => void) | null = null
  let isEnded = false
  const ready = () => {
    if (!isEnded) end = begin()
  }
  // A world that cannot go on is told of by whoever drives it.
  wait.then(ready, () => undefined)
  return () => {
    isEnded = true
    end?.()
  }
}

function wake(state: State): void {
  state.timer ??= setInterval(() => {
    state.beats += 1
    if (state.isStill() || state.isBehind()) return
    lookAtTopics(state)
    lookAtAccounts(state)
  }, BEAT_MS)
  state.timer.unref()
}

function rest(state: State): void {
  if (state.topics.size + state.accounts.size > 0 || state.timer === null) return
  clearInterval(state.timer)
  state.timer = null
}

function nudge(state: State): void {
  if (state.isBehind()) return
  if (state.isStill()) lookAtTopics(state)
  lookAtAccounts(state)
}

function moved(state: State): void {
  const nowMs = state.clock.nowMs()
  if (!state.isStill() || state.movedMs === nowMs) return
  state.movedMs = nowMs
  lookAtTopics(state)
  lookAtAccounts(state)
}

function lookAtTopics(state: State): void {
  for (const [name, listened] of state.topics)
    if (isDue(state, listened)) look(state, name, listened)
}

/** Where time stands still there are no beats: every look may be the last for long. */
function isDue({ beats, isStill }: State, { topic, lookedAtBeat }: Listened): boolean {
  return isStill() || (beats - lookedAtBeat) * BEAT_MS >= topic.beatMs
}

function look(state: State, name: string, listened: Listened): void {
  const { beats } = state
  const { topic, shown } = listened
  listened.lookedAtBeat = beats
  const now = topic.read(sourceOf(state))
  listened.shown = now
  const told = topic.tell(now, shown)
  const isForced =
    topic.forcedMs !== undefined && (beats - listened.toldAtBeat) * BEAT_MS >= topic.forcedMs
  for (const data of told.length === 0 && isForced ? topic.tell(now, undefined) : told) {
    listened.toldAtBeat = beats
    const message = stamped(state.clock, name, data, listened)
    for (const sink of listened.sinks) sink.message(message)
  }
}

function sourceOf({ peek, happenings }: State) {
  return { peek, trades: happenings.trades }
}

function subscribe(state: State, name: string, sink: FeedSink): () => void {
  const listened = state.topics.get(name) ?? listen(state, name)
  listened?.sinks.add(sink)
  queueMicrotask(() => {
    sink.opened()
    if (listened?.topic.isState && listened.sinks.has(sink))
      for (const data of listened.topic.tell(listened.shown, undefined))
        sink.message(stamped(state.clock, name, data, { ...listened }))
  })
  return () => {
    listened?.sinks.delete(sink)
    if (listened?.sinks.size === 0) drop(state, name)
  }
}

function listen(state: State, name: string): Listened | undefined {
  const { clock, beats, topics } = state
  const topic = topicNamed(name)
  if (!topic) return undefined
  const listened = {
    topic,
    sinks: new Set<FeedSink>(),
    shown: topic.read(sourceOf(state)),
    lastMs: clock.nowMs(),
    lookedAtBeat: beats,
    toldAtBeat: beats,
  }
  topics.set(name, listened)
  wake(state)
  return listened
}

function drop(state: State, name: string): void {
  state.topics.get(name)?.topic.end?.()
  state.topics.delete(name)
  rest(state)
}

/** The book as it was told last, where it is listened to; what follows then follows it. */
async function readBook(state: State, symbol: string): Promise<FeedMessage> {
  const { topics, ready, clock } = state
  await ready()
  const topic = `${symbol}@orderbookupdate`
  const listened = topics.get(topic)
  const data = listened ? listened.shown : bookNow(state, symbol)
  if (!data) throw new UpstreamError('content_type', true)
  return { topic, atMs: listened?.lastMs ?? clock.nowMs(), data }
}

function listenToAccount(state: State, auth: FeedAuth, sink: AccountSink): () => void {
  const { proves, accounts } = state
  if (!proves(auth)) {
    queueMicrotask(sink.refused)
    return () => undefined
  }
  const watch = watchAccount(state, auth.accountId.toLowerCase())
  const watched = { watch, auth, sink }
  accounts.add(watched)
  wake(state)
  queueMicrotask(sink.opened)
  return () => leave(state, watched)
}

function leave(state: State, watched: Watched): void {
  watched.watch.end()
  state.accounts.delete(watched)
  rest(state)
}

function lookAtAccounts(state: State): void {
  const { accounts, peek, clock } = state
  for (const watched of [...accounts]) {
    const { auth, sink, watch } = watched
    if (isHeld(peek, auth)) {
      for (const { topic, data } of watch.look()) sink.message({ topic, atMs: clock.nowMs(), data })
    } else {
      leave(state, watched)
      sink.refused()
    }
  }
}
