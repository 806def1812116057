import { LIMITS } from '../../contract/limits.ts'
import type { AccountSink, Feed, FeedAuth, FeedSink } from '../../core/feed.ts'
import { inMicrotask } from '../../core/loop/guarded.ts'
import { UpstreamError } from '../../core/ports.ts'
import { unpackMessage } from '../messages/message.ts'
import type { VenueCalls, VenueService } from '../service.ts'
import { type FromVenue, type ToVenue, toVenueCalls, unpackError } from './messages.ts'

/** The gateway's side of calls and subscriptions. It outlives restarts of the venue's thread. */
export type VenueClient = {
  readonly calls: VenueCalls
  readonly feed: VenueService['feed']
  /** Receives an answer, or a message of the live feed. */
  readonly receive: (message: FromVenue) => void
  /** Called when a thread has started. All subscriptions are sent to it. */
  readonly connected: (send: (message: ToVenue) => void) => void
  /** Called when the thread has ended. Its pending calls fail and its subscriptions are lost. */
  readonly disconnected: () => void
}

type Pending = PromiseWithResolvers<unknown>

/**
 * Creates a client without a thread. Until a thread is connected, its calls throw UpstreamError. `nowMs` is the wall
 * clock.
 */
export function createVenueClient(nowMs: () => number): VenueClient {
  const pending = new Map<number, Pending>()
  const { feed, ...subscriptions } = createSubscriptions(nowMs)
  let send: ((message: ToVenue) => void) | null = null
  let ids = 0

  function call(name: keyof VenueCalls, given: readonly unknown[]): Promise<unknown> {
    if (!send) return Promise.reject(new UpstreamError('unreachable', false))
    ids += 1
    const answer = Promise.withResolvers<unknown>()
    pending.set(ids, answer)
    send({ kind: 'call', id: ids, name, given })
    return answer.promise
  }

  function settle(id: number): Pending | undefined {
    const answer = pending.get(id)
    pending.delete(id)
    return answer
  }

  const calls = toVenueCalls(call)
  return {
    calls,
    feed: { ...feed, book: async (symbol) => unpackMessage(await calls.book(symbol)) },
    receive: (message) => {
      if (message.kind === 'answer') settle(message.id)?.resolve(message.value)
      else if (message.kind === 'error') settle(message.id)?.reject(unpackError(message.error))
      else subscriptions.receive(message)
    },
    connected: (next) => {
      send = next
      subscriptions.connected(next)
    },
    disconnected: () => {
      send = null
      for (const answer of pending.values()) answer.reject(new UpstreamError('reset', true))
      pending.clear()
      subscriptions.disconnected()
    },
  }
}

type Subscription =
  | { readonly topic: string; readonly sink: FeedSink }
  | { readonly auth: FeedAuth; readonly sink: AccountSink }

type State = {
  readonly all: Map<number, Subscription>
  send: ((message: ToVenue) => void) | null
  ids: number
}

/** The subscriptions to the venue's live feed. They are repeated for each new thread. */
function createSubscriptions(nowMs: () => number) {
  const state: State = { all: new Map(), send: null, ids: 0 }
  const { all } = state
  const feed = {
    subscribe: (topic: string, sink: FeedSink) => add(state, { topic, sink }),
    account: (auth: FeedAuth, sink: AccountSink) => add(state, { auth, sink }),
    size: () => subscriptionCounts(all),
    close: () => {
      for (const id of all.keys()) state.send?.({ kind: 'unsubscribe', id })
      all.clear()
    },
  } satisfies Omit<Feed, 'book'>
  return {
    feed,
    receive: (message: FromVenue) => receive(all, message),
    connected: (send: (message: ToVenue) => void) => {
      state.send = send
      for (const [id, subscription] of [...all]) {
        if (!('auth' in subscription) || !isExpired(subscription.auth, nowMs()))
          begin(state, id, subscription)
        else drop(all, id, subscription)
      }
    },
    disconnected: () => {
      state.send = null
      for (const { sink } of [...all.values()]) sink.lost()
    },
  }
}

function add(state: State, subscription: Subscription): () => void {
  state.ids += 1
  const id = state.ids
  state.all.set(id, subscription)
  begin(state, id, subscription)
  return () => {
    if (state.all.delete(id)) state.send?.({ kind: 'unsubscribe', id })
  }
}

function begin({ send }: State, id: number, subscription: Subscription): void {
  if ('topic' in subscription) send?.({ kind: 'topic', id, topic: subscription.topic })
  else send?.({ kind: 'account', id, auth: subscription.auth })
}

/** Whether a signature is too old for a new subscription. */
function isExpired({ timestamp }: FeedAuth, nowMs: number): boolean {
  return nowMs - Number(timestamp) > LIMITS.signatureAgeMaxMs
}

function drop(
  all: State['all'],
  id: number,
  { sink }: Extract<Subscription, { readonly auth: FeedAuth }>,
): void {
  all.delete(id)
  inMicrotask('venue', sink.expired)
}

function receive(all: State['all'], message: FromVenue): void {
  if (message.kind !== 'message' && message.kind !== 'sink') return
  const subscription = all.get(message.id)
  if (message.kind === 'message') subscription?.sink.message(unpackMessage(message.message))
  else if (message.event === 'opened' || message.event === 'lost')
    subscription?.sink[message.event]()
  else if (subscription && 'auth' in subscription) {
    all.delete(message.id)
    subscription.sink[message.event]()
  }
}

function subscriptionCounts(all: State['all']) {
  const each = [...all.values()]
  const topics = new Set(each.flatMap((of) => ('topic' in of ? [of.topic] : [])))
  return { topics: topics.size, accounts: each.filter((of) => 'auth' in of).length, malformed: 0 }
}
