import type { Feed, FeedMessage, FeedSink } from '../../core/feed.ts'
import { afterThis, every } from '../../core/loop/guarded.ts'
import { inUse } from '../../core/loop/rest.ts'
import { UpstreamError } from '../../core/ports.ts'
import { accountState } from './account.ts'
import { type AccountRoom, type AccountSources, openAccountRoom } from './accounts.ts'
import { stamped } from './rows.ts'
import { bookNow, type LiveTopic, type Source, topicFault, topicNamed } from './topics.ts'

/** The live wire of the embedded venue, in this process. */
export type LiveVenue = Feed & {
  readonly account: NonNullable<Feed['account']>
  /** The current state of a private topic that has one. The caller has proved a key of the account. */
  readonly stateOf: (accountId: string, topic: string) => FeedMessage | null
  /** The wire's reason for refusing a topic; null for an available one. */
  readonly fault: (topic: string) => string | null
  /** Publishes an account's changes after a stored request, before the next tick. */
  readonly nudge: (accountId?: string) => void
  /** Called when the simulation has reached the venue's time; with a stopped clock, messages are sent then. */
  readonly moved: () => void
}

type LiveVenueOptions = AccountSources & {
  /** Whether there are changes that are not stored yet. */
  readonly isStoring: () => boolean
  /** Settles when the simulation is at the venue's time; null when it is. */
  readonly ready: () => Promise<void> | null
  /** Whether the simulation is catching up. */
  readonly isBehind: () => boolean
  /** Whether the venue's clock is stopped; then no messages are sent by the wall clock. */
  readonly isStill: () => boolean
  readonly hasMarket: (symbol: string) => boolean
  readonly tradesOfDay: Source['tradesOfDay']
  /** Advances the simulation to the venue's time. Never throws. */
  readonly advance: () => void
}

/** The shortest time between two messages of a topic: the best prices of a market have it. */
const TICK_MS = 10
/** The interval, in ticks, of reading account figures that move with the marks. */
const ACCOUNTS_TICKS = 20

type Subscribed = {
  readonly topic: LiveTopic
  readonly sinks: Set<FeedSink>
  shown: unknown
  /** The time of the last message, which the next one names. */
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
 * Publishes the results of the venue's reads, on ticks and only with subscribers, so that streams and reads agree.
 * Trades and executions are buffered, so that every one is published.
 */
export function createLiveVenue(parts: LiveVenueOptions): LiveVenue {
  const state: State = {
    ...parts,
    topics: new Map(),
    accounts: openAccountRoom({
      ...parts,
      joined: () => wake(state),
      left: () => rest(state),
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
    nudge: (accountId) => nudge(state, accountId),
    moved: () => moved(state),
    size: () => ({ topics: state.topics.size, accounts: state.accounts.size(), malformed: 0 }),
    close: () => {
      for (const name of [...state.topics.keys()]) drop(state, name)
      state.accounts.close()
    },
  }
}

/** Begins a subscription when the simulation is at the venue's time, unless it was ended before. */
function whenReady({ ready }: LiveVenueOptions, begin: () => () => void): () => void {
  const wait = ready()
  if (wait === null) return begin()
  let end: (() => void) | null = null
  let isEnded = false
  const opened = () => {
    if (!isEnded) end = begin()
  }
  // The catch-up reports its own errors.
  wait.then(opened, () => undefined)
  return () => {
    isEnded = true
    end?.()
  }
}

function wake(state: State): void {
  state.timer ??= every('venue', TICK_MS, () => tick(state))
}

function tick(state: State): void {
  inUse()
  state.ticks += 1
  if (state.isStill()) return
  state.advance()
  if (!maySend(state)) return
  sendTopics(state)
  sendAccounts(state, state.ticks % ACCOUNTS_TICKS === 0)
}

/** Whether messages may be sent. A catch-up and unstored changes hold them back. */
function maySend({ isBehind, isStoring }: State): boolean {
  return !isBehind() && !isStoring()
}

function sendAccounts({ accounts, events }: State, isAll: boolean): void {
  const marked = events.takeMarked()
  accounts.send(isAll ? undefined : marked)
}

function rest(state: State): void {
  if (state.topics.size + state.accounts.size() > 0 || state.timer === null) return
  clearInterval(state.timer)
  state.timer = null
}

function nudge(state: State, accountId = ''): void {
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

/** Whether a topic is due for a read; always with a stopped clock, which has no ticks. */
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
  afterThis('venue', () => {
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
  wake(state)
  return subscribed
}

function drop(state: State, name: string): void {
  state.topics.get(name)?.topic.end?.()
  state.topics.delete(name)
  rest(state)
}

/** The last published book of a subscribed topic, which later changes continue; otherwise the current book. */
async function readBook(state: State, symbol: string): Promise<FeedMessage> {
  const { topics, ready, clock } = state
  await ready()
  const topic = `${symbol}@orderbookupdate`
  const subscribed = topics.get(topic)
  const data = subscribed ? subscribed.shown : bookNow(state, symbol)
  if (!data) throw new UpstreamError('content_type', true)
  return { topic, atMs: subscribed?.lastMs ?? clock.nowMs(), data }
}
