import type { Feed, FeedMessage, FeedSink } from '../../core/feed.ts'
import { afterThis, every } from '../../core/loop/guarded.ts'
import { type Clock, UpstreamError } from '../../core/ports.ts'
import type { Floor } from '../exchange/floor.ts'
import type { Pace } from '../pace.ts'
import type { Venue } from '../venue.ts'
import { accountState } from './account.ts'
import { type AccountRoom, openAccountRoom } from './accounts.ts'
import { bookNow } from './books.ts'
import { createHappenings, type Happenings } from './happenings.ts'
import { stamped } from './stamp.ts'
import type { LiveTopic, Source } from './topic.ts'
import { faultOf, topicNamed } from './topics.ts'

/** The live wire of the embedded venue, in this process. */
export type LiveVenue = Feed & {
  readonly account: NonNullable<Feed['account']>
  /** What a private topic shows now, where it has a state. Whoever asks has proved a key of the account. */
  readonly stateOf: (accountId: string, topic: string) => FeedMessage | null
  /** Why a topic cannot be had, in the wire's words; null where it can. */
  readonly fault: (topic: string) => string | null
  /** An account has asked for something, which is stored: looks now, rather than at the next beat. */
  readonly nudge: (accountId?: string) => void
  /** The world has come to now: where time stands still between, that is when there is something to tell. */
  readonly moved: () => void
}

type Parts = Pick<Venue, 'peek' | 'proves' | 'isStoring'> &
  Pick<Pace, 'ready' | 'isBehind'> & {
    readonly clock: Clock
    /** Whether the venue's time stands still until it is told to move: then nothing is told by the wall's. */
    readonly isStill: () => boolean
    readonly hasMarket: (symbol: string) => boolean
    readonly tradesOfDay: Source['tradesOfDay']
    readonly floor: () => Floor
    /** Lets the world go on to now. Never throws. */
    readonly advance: () => void
  }

/** The shortest time between two messages of a topic: the best prices of a market have it. */
const BEAT_MS = 10
/** What of an account moves with the marks is looked at this often. */
const ACCOUNTS_BEATS = 20

type Listened = {
  readonly topic: LiveTopic
  readonly sinks: Set<FeedSink>
  shown: unknown
  /** The time of the last message, which the next one names. */
  lastMs: number
  lookedAtBeat: number
  toldAtBeat: number
}

type State = Parts & {
  readonly happenings: Happenings
  readonly topics: Map<string, Listened>
  readonly accounts: AccountRoom
  timer: Timer | null
  beats: number
  movedMs: number
}

/**
 * Tells what the venue's own reads show, on a beat, and only while somebody listens: whatever the venue is made of, the
 * wire says what its reads say. Trades and executions are heard as they happen, so that none is left out.
 */
export function createLive(parts: Parts): LiveVenue {
  const happenings = createHappenings(parts.floor)
  const state: State = {
    ...parts,
    happenings,
    topics: new Map(),
    accounts: openAccountRoom({
      ...parts,
      happenings,
      joined: () => wake(state),
      left: () => rest(state),
    }),
    timer: null,
    beats: 0,
    movedMs: 0,
  }
  return {
    subscribe: (name, sink) => whenReady(state, () => subscribe(state, name, sink)),
    book: (symbol) => readBook(state, symbol),
    account: (auth, sink) => whenReady(state, () => state.accounts.join(auth, sink)),
    stateOf: (accountId, name) => {
      const state = accountState(parts, accountId.toLowerCase(), name)
      return state && { ...state, atMs: parts.clock.nowMs() }
    },
    fault: (name) => faultOf(name, parts.hasMarket),
    nudge: (accountId) => nudge(state, accountId),
    moved: () => moved(state),
    size: () => ({ topics: state.topics.size, accounts: state.accounts.size(), malformed: 0 }),
    close: () => {
      for (const name of [...state.topics.keys()]) drop(state, name)
      state.accounts.close()
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
  state.timer ??= every('venue', BEAT_MS, () => beat(state))
}

function beat(state: State): void {
  state.beats += 1
  if (state.isStill()) return
  state.advance()
  if (!mayTell(state)) return
  lookAtTopics(state)
  lookAtAccounts(state, state.beats % ACCOUNTS_BEATS === 0)
}

/** Nothing is told of a world that is on its way, nor of what could still be lost. */
function mayTell({ isBehind, isStoring }: State): boolean {
  return !isBehind() && !isStoring()
}

function lookAtAccounts({ accounts, happenings }: State, isAll: boolean): void {
  const stirred = happenings.stirred()
  accounts.look(isAll ? undefined : stirred)
}

function rest(state: State): void {
  if (state.topics.size + state.accounts.size() > 0 || state.timer === null) return
  clearInterval(state.timer)
  state.timer = null
}

function nudge(state: State, accountId = ''): void {
  state.happenings.stir(accountId.toLowerCase())
  if (!mayTell(state)) return
  if (state.isStill()) lookAtTopics(state)
  lookAtAccounts(state, state.isStill())
}

function moved(state: State): void {
  const nowMs = state.clock.nowMs()
  if (!state.isStill() || state.movedMs === nowMs) return
  state.movedMs = nowMs
  lookAtTopics(state)
  lookAtAccounts(state, true)
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

function sourceOf({ peek, happenings, tradesOfDay }: State): Source {
  return { peek, trades: happenings.trades, tradesOfDay }
}

function subscribe(state: State, name: string, sink: FeedSink): () => void {
  const listened = state.topics.get(name) ?? listen(state, name)
  listened?.sinks.add(sink)
  afterThis('venue', () => {
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
