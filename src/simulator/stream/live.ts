import type { Feed, FeedMessage, FeedSink } from '../../core/feed.ts'
import { every, inMicrotask } from '../../core/loop/guarded.ts'
import { markInUse } from '../../core/loop/idle-timers.ts'
import { UpstreamError } from '../../core/ports.ts'
import { accountState } from './account.ts'
import { type AccountRoom, type AccountSources, openAccountRoom } from './accounts.ts'
import { stamped } from './rows.ts'
import { bookNow, type LiveTopic, type Source, topicFault, topicNamed } from './topics.ts'

/** The live feed of the embedded venue, in this process. */
export type LiveVenue = Feed & {
  readonly account: NonNullable<Feed['account']>
  /** The current state of a private topic that has a state. The caller must have proved a key of the account. */
  readonly stateOf: (accountId: string, topic: string) => FeedMessage | null
  /** Why a topic cannot be subscribed to; null if it can. */
  readonly fault: (topic: string) => string | null
  /** Publishes an account's changes after a stored request, without waiting for the next tick. */
  readonly nudge: (accountId?: string) => void
  /** Called when the simulation has reached the venue's time. With a stopped clock, messages are sent only then. */
  readonly moved: () => void
}

type LiveVenueOptions = AccountSources & {
  /** Whether a commit is pending. */
  readonly isStoring: () => boolean
  /** Settles when the simulation has reached the venue's time; null if it already has. */
  readonly ready: () => Promise<void> | null
  /** Whether the simulation is catching up. */
  readonly isBehind: () => boolean
  /** Whether the venue's clock is stopped. Then no message is sent by the wall clock. */
  readonly isStill: () => boolean
  readonly hasMarket: (symbol: string) => boolean
  readonly tradesOfDay: Source['tradesOfDay']
  /** Advances the simulation to the venue's time. Never throws. */
  readonly advance: () => void
}

/** Minimum time between two messages of a topic. Best prices are sent at this interval. */
const TICK_MS = 10
/** Number of ticks between two reads of account figures that move with the mark price. */
const ACCOUNTS_TICKS = 20

type Subscribed = {
  readonly topic: LiveTopic
  readonly sinks: Set<FeedSink>
  shown: unknown
  /** The time of the last message. The next message refers to it. */
  lastMs: number
  readAtTick: number
  sentAtTick: number
}

type State = LiveVenueOptions & {
  readonly topics: Map<string, Subscribed>
  readonly accounts: AccountRoom
  timer: Timer | null
  ticks: number
  movedMs: number
}

/**
 * Publishes what the venue's reads return, so that streams and reads agree. Reads happen on ticks, and only for topics
 * with subscribers. Trades and executions are buffered, so that each one is published.
 */
export function createLiveVenue(parts: LiveVenueOptions): LiveVenue {
  const state: State = {
    ...parts,
    topics: new Map(),
    accounts: openAccountRoom({
      ...parts,
      joined: () => startTicking(state),
      left: () => stopTicking(state),
    }),
    timer: null,
    ticks: 0,
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
    fault: (name) => topicFault(name, parts.hasMarket),
    nudge: (accountId) => publishAccountSoon(state, accountId),
    moved: () => moved(state),
    size: () => ({ topics: state.topics.size, accounts: state.accounts.size(), malformed: 0 }),
    close: () => {
      for (const name of [...state.topics.keys()]) drop(state, name)
      state.accounts.close()
    },
  }
}

/**
 * Begins a subscription once the simulation has reached the venue's time, unless the subscription has already ended.
 */
function whenReady({ ready }: LiveVenueOptions, begin: () => () => void): () => void {
  const wait = ready()
  if (wait === null) return begin()
  let end: (() => void) | null = null
  let isEnded = false
  const opened = () => {
    if (!isEnded) end = begin()
  }
  // The catch-up itself reports its errors.
  wait.then(opened, () => undefined)
  return () => {
    isEnded = true
    end?.()
  }
}

function startTicking(state: State): void {
  state.timer ??= every('venue', TICK_MS, () => tick(state))
}

function tick(state: State): void {
  markInUse()
  state.ticks += 1
  if (state.isStill()) return
  state.advance()
  if (!maySend(state)) return
  sendTopics(state)
  sendAccounts(state, state.ticks % ACCOUNTS_TICKS === 0)
}

/** Whether messages may be sent. A catch-up and unstored changes delay them. */
function maySend({ isBehind, isStoring }: State): boolean {
  return !isBehind() && !isStoring()
}

function sendAccounts({ accounts, events }: State, isAll: boolean): void {
  const marked = events.takeMarked()
  accounts.send(isAll ? undefined : marked)
}

function stopTicking(state: State): void {
  if (state.topics.size + state.accounts.size() > 0 || state.timer === null) return
  clearInterval(state.timer)
  state.timer = null
}

function publishAccountSoon(state: State, accountId = ''): void {
  state.events.mark(accountId.toLowerCase())
  if (!maySend(state)) return
  if (state.isStill()) sendTopics(state)
  sendAccounts(state, state.isStill())
}

function moved(state: State): void {
  const nowMs = state.clock.nowMs()
  if (!state.isStill() || state.movedMs === nowMs) return
  state.movedMs = nowMs
  sendTopics(state)
  sendAccounts(state, true)
}

function sendTopics(state: State): void {
  for (const [name, subscribed] of state.topics)
    if (isDue(state, subscribed)) send(state, name, subscribed)
}

/** Whether a topic is due for a read. While the clock is stopped there are no ticks, so every topic is due. */
function isDue({ ticks, isStill }: State, { topic, readAtTick }: Subscribed): boolean {
  return isStill() || (ticks - readAtTick) * TICK_MS >= topic.intervalMs
}

function send(state: State, name: string, subscribed: Subscribed): void {
  const { ticks } = state
  const { topic, shown } = subscribed
  subscribed.readAtTick = ticks
  const now = topic.read(topicSource(state))
  subscribed.shown = now
  const messages = topic.messages(now, shown)
  const isForced =
    topic.forcedMs !== undefined && (ticks - subscribed.sentAtTick) * TICK_MS >= topic.forcedMs
  for (const data of messages.length === 0 && isForced
    ? topic.messages(now, undefined)
    : messages) {
    subscribed.sentAtTick = ticks
    const message = stamped(state.clock, name, data, subscribed)
    for (const sink of subscribed.sinks) sink.message(message)
  }
}

function topicSource({ peek, events, tradesOfDay }: State): Source {
  return { peek, trades: events.trades, tradesOfDay }
}

function subscribe(state: State, name: string, sink: FeedSink): () => void {
  const subscribed = state.topics.get(name) ?? listen(state, name)
  subscribed?.sinks.add(sink)
  inMicrotask('venue', () => {
    sink.opened()
    if (subscribed?.topic.isState && subscribed.sinks.has(sink))
      for (const data of subscribed.topic.messages(subscribed.shown, undefined))
        sink.message(stamped(state.clock, name, data, { ...subscribed }))
  })
  return () => {
    subscribed?.sinks.delete(sink)
    if (subscribed?.sinks.size === 0) drop(state, name)
  }
}

function listen(state: State, name: string): Subscribed | undefined {
  const { clock, ticks, topics } = state
  const topic = topicNamed(name)
  if (!topic) return undefined
  const subscribed = {
    topic,
    sinks: new Set<FeedSink>(),
    shown: topic.read(topicSource(state)),
    lastMs: clock.nowMs(),
    readAtTick: ticks,
    sentAtTick: ticks,
  }
  topics.set(name, subscribed)
  startTicking(state)
  return subscribed
}

function drop(state: State, name: string): void {
  state.topics.get(name)?.topic.end?.()
  state.topics.delete(name)
  stopTicking(state)
}

/** The book to which later changes of a subscribed topic apply; if the topic has no subscriber, the current book. */
async function readBook(state: State, symbol: string): Promise<FeedMessage> {
  const { topics, ready, clock } = state
  await ready()
  const topic = `${symbol}@orderbookupdate`
  const subscribed = topics.get(topic)
  const data = subscribed ? subscribed.shown : bookNow(state, symbol)
  if (!data) throw new UpstreamError('content_type', true)
  return { topic, atMs: subscribed?.lastMs ?? clock.nowMs(), data }
}
