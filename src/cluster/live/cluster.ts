import { CLUSTER_FEED } from '../../contract/engines/valkey.ts'
import { EngineAway } from '../../core/engines/health.ts'
import type { Feed, FeedBus, FeedSink } from '../../core/feed.ts'
import { defaultOnFailure, detached, every, reportUnexpected } from '../../core/loop/guarded.ts'
import { createRequestedBooks } from './books.ts'
import { createPublisher } from './publisher.ts'
import {
  createFollowerTopics,
  createTopics,
  createVenueSubscriptions,
  type Topics,
} from './subscriptions.ts'
import { type FeedEvent, feedRequestText, parseFeedRequest, readBatch } from './wire.ts'

type ClusterFeedOptions = {
  /** This instance's own connection to the venue's live data. */
  readonly own: Feed
  readonly bus: FeedBus
  readonly monotonicMs: () => number
}

/**
 * The role of this instance in sharing the venue's live data:
 * - `leads`: it is connected to the venue, and publishes the data to the other instances
 * - `follows`: it receives the data from the leader
 * - `alone`: it has a separate connection to the venue, because Valkey is away
 * - `idle`: this instance and its followers have no listeners
 */
export type FeedRole = 'leads' | 'follows' | 'alone' | 'idle'

type State = ClusterFeedOptions & {
  readonly publisher: ReturnType<typeof createPublisher>
  readonly books: ReturnType<typeof createRequestedBooks>
  readonly topics: Topics
  readonly holdings: ReturnType<typeof createVenueSubscriptions>
  readonly wanted: ReturnType<typeof createFollowerTopics>
  role: FeedRole
  /**
   * `term`: the highest term that this instance followed. `seq` and `receivedAtMs`: the number and time of its last
   * batch.
   */
  term: number
  seq: number
  receivedAtMs: number
  timer: Timer | undefined
  isAsking: boolean
  unlisten: (() => void) | null
}

/** The public live data of several instances. One instance, the leader, subscribes at the venue and publishes to the others. */
export type ClusterFeed = Feed & { readonly role: () => FeedRole }

export function clusterFeed(parts: ClusterFeedOptions): ClusterFeed {
  const { own, bus, monotonicMs } = parts
  const state: State = {
    ...parts,
    publisher: createPublisher(bus, monotonicMs),
    books: createRequestedBooks(bus),
    topics: createTopics(),
    holdings: createVenueSubscriptions(own, (event) => handleVenueEvent(state, event)),
    wanted: createFollowerTopics(monotonicMs),
    role: 'idle',
    term: 0,
    seq: 0,
    receivedAtMs: 0,
    timer: undefined,
    isAsking: false,
    unlisten: null,
  }
  return {
    role: () => state.role,
    subscribe: (topic, sink) => subscribe(state, topic, sink),
    book: (symbol) => (state.role === 'follows' ? state.books.ask(symbol) : own.book(symbol)),
    account: own.account,
    size: own.size,
    close: () => {
      goIdle(state)
      own.close()
    },
  }
}

function subscribe(state: State, name: string, sink: FeedSink): () => void {
  if (state.topics.add(name, sink)) begin(state, name)
  return () => {
    if (state.topics.drop(name, sink)) syncSubscriptions(state)
  }
}

/** Starts a topic that got its first listener on this instance. */
function begin(state: State, name: string): void {
  if (state.role === 'idle') startRoleTimer(state)
  else if (state.role === 'follows') requestTopics(state, [name])
  else syncSubscriptions(state)
  if (state.holdings.isOpen(name)) state.topics.opened(name)
}

function startRoleTimer(state: State): void {
  if (state.timer !== undefined) return
  const now = () => detached('upstream', renewRole(state))
  state.timer = every('upstream', CLUSTER_FEED.lookEveryMs, now)
  now()
}

/** Takes or renews the lead if it is free or already held here; otherwise follows the leader. */
async function renewRole(state: State): Promise<void> {
  if (state.isAsking || state.timer === undefined) return
  if (state.topics.names().length === 0 && !isWanted(state)) return goIdle(state)
  state.isAsking = true
  try {
    const askedAtMs = state.monotonicMs()
    const term = await state.bus.lead()
    // This instance may have gone idle during the call.
    if (state.timer === undefined) state.bus.resign()
    else if (term === null) follow(state)
    else lead(state, term, askedAtMs)
  } catch (error) {
    reportUnexpected('upstream', error, EngineAway)
    handleOutage(state)
  } finally {
    state.isAsking = false
  }
}

/**
 * Whether any follower has listeners. Publishes expired topics as lost, so that a follower notices that its requests
 * were lost.
 */
function isWanted(state: State): boolean {
  for (const subject of state.wanted.expire()) emit(state, { kind: 'lost', subject })
  return state.wanted.names().length > 0
}

/** Goes idle, when neither this instance nor a follower has a listener. */
function goIdle(state: State): void {
  clearInterval(state.timer)
  state.timer = undefined
  if (state.role === 'leads') {
    state.bus.resign()
    state.publisher.emit({ kind: 'end' })
    state.publisher.flush()
  }
  takeRole(state, 'idle')
}

/** Takes a role, and unsubscribes from the channel of the previous role. */
function takeRole(state: State, role: FeedRole): void {
  state.unlisten?.()
  state.unlisten = null
  state.role = role
  state.wanted.clear()
  if (role === 'leads') state.unlisten = state.bus.listen('asks', (text) => answer(state, text))
  if (role === 'follows') state.unlisten = state.bus.listen('feed', (text) => receive(state, text))
  state.books.lose()
  syncSubscriptions(state)
  for (const name of state.topics.names()) if (!state.holdings.isOpen(name)) state.topics.lost(name)
}

function lead(state: State, term: number, atMs: number): void {
  const isNew = state.role !== 'leads' || !state.publisher.isOf(term)
  state.publisher.lead(term, atMs + CLUSTER_FEED.leadMs, isNew)
  if (isNew) takeRole(state, 'leads')
  else syncSubscriptions(state)
  // An empty batch is published too: it shows followers that the leader is alive.
  state.publisher.flush()
}

function follow(state: State): void {
  const nowMs = state.monotonicMs()
  if (state.role !== 'follows') {
    Object.assign(state, { term: 0, receivedAtMs: nowMs })
    takeRole(state, 'follows')
  }
  // The leader has been silent for the duration of a lead. Term 0 accepts any next leader, even if its clock gives a
  // lower term.
  if (nowMs - state.receivedAtMs > CLUSTER_FEED.leadMs) unfollow(state, 0)
  requestTopics(state, state.topics.names())
}

/**
 * Reacts to an outage of Valkey. The leader keeps its connection to the venue. A follower opens a connection once the
 * leader's batches stop.
 */
function handleOutage(state: State): void {
  const silentMs = state.monotonicMs() - state.receivedAtMs
  if (state.role === 'follows' && silentMs <= CLUSTER_FEED.leadMs) return
  if (state.role !== 'alone') takeRole(state, 'alone')
}

function requestTopics({ bus }: State, subjects: readonly string[]): void {
  const few = subjects.slice(0, CLUSTER_FEED.topicsMax)
  bus
    .send('asks', feedRequestText({ kind: 'topics', subjects: few }))
    .catch(defaultOnFailure('upstream', undefined, EngineAway))
}

/** Subscribes at the venue to exactly the topics that have listeners on this instance or, for a leader, on followers. */
function syncSubscriptions(state: State): void {
  const { role, topics, wanted, holdings } = state
  holdings.only(
    new Set(role === 'leads' || role === 'alone' ? [...topics.names(), ...wanted.names()] : []),
  )
}

/** Handles an event of the venue. A leader also publishes it if a follower listens to its topic. */
function handleVenueEvent(state: State, event: FeedEvent): void {
  deliverEvent(state, event)
  if (event.kind === 'end') return
  const topic = event.kind === 'message' ? event.message.topic : event.subject
  if (state.wanted.has(topic)) emit(state, event)
}

function emit({ role, publisher }: State, event: FeedEvent): void {
  if (role === 'leads') publisher.emit(event)
}

/** Handles a follower's request. */
function answer(state: State, text: string): void {
  const asked = parseFeedRequest(text)
  if (asked?.kind === 'book')
    for (const symbol of asked.subjects) detached('upstream', askBook(state, symbol))
  if (asked?.kind !== 'topics') return
  state.wanted.add(asked.subjects)
  syncSubscriptions(state)
  for (const subject of asked.subjects)
    if (state.holdings.isOpen(subject)) emit(state, { kind: 'opened', subject })
}

async function askBook(state: State, symbol: string): Promise<void> {
  const event = await state.books.load(symbol, () => state.own.book(symbol))
  if (event) emit(state, event)
}

/** Handles a batch of the leader. A newer term, or a number out of sequence, is a gap: all topics start over. */
function receive(state: State, text: string): void {
  const batch = readBatch(text, state.topics.isOpen)
  if (!batch || batch.term < state.term) return
  if (batch.term > state.term || batch.seq !== state.seq + 1) {
    unfollow(state, batch.term)
    requestTopics(state, state.topics.names())
  }
  state.seq = batch.seq
  state.receivedAtMs = state.monotonicMs()
  try {
    for (const event of batch.events) deliverEvent(state, event)
  } catch (error) {
    // A leader that runs a different version may send events that this instance cannot parse.
    reportUnexpected('upstream', error, SyntaxError, RangeError)
    unfollow(state, batch.term)
  }
}

/** Discards all state that came from a leader, since it may be incomplete. */
function unfollow(state: State, term: number): void {
  state.term = term
  state.books.lose()
  state.topics.lostAll()
}

function deliverEvent(state: State, event: FeedEvent): void {
  if (event.kind === 'message') state.topics.deliver(event.message)
  else if (event.kind === 'opened') state.topics.opened(event.subject)
  else if (event.kind === 'lost') state.topics.lost(event.subject)
  else if (event.kind === 'end') detached('upstream', renewRole(state))
  else state.books.settle(event)
}
