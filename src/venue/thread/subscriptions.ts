import type { AccountSink, Feed, FeedAuth, FeedSink } from '../../core/feed.ts'
import { afterThis } from '../../core/loop/guarded.ts'
import { LIMITS } from '../../spec/limits.ts'
import { unpackMessage } from '../messages/packed.ts'
import type { FromVenue, ToVenue } from './messages.ts'

type Subscription =
  | { readonly topic: string; readonly sink: FeedSink }
  | { readonly auth: FeedAuth; readonly sink: AccountSink }

type State = {
  readonly all: Map<number, Subscription>
  send: ((message: ToVenue) => void) | null
  ids: number
}

/** What is subscribed on the venue's live wire, and is subscribed again at each thread that comes. */
export function createSubscriptions(nowMs: () => number) {
  const state: State = { all: new Map(), send: null, ids: 0 }
  const { all } = state
  const feed = {
    subscribe: (topic: string, sink: FeedSink) => add(state, { topic, sink }),
    account: (auth: FeedAuth, sink: AccountSink) => add(state, { auth, sink }),
    size: () => sizeOf(all),
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

/** Whether a signature has grown too old to open anything again. */
function isExpired({ timestamp }: FeedAuth, nowMs: number): boolean {
  return nowMs - Number(timestamp) > LIMITS.signatureAgeMaxMs
}

function drop(
  all: State['all'],
  id: number,
  { sink }: Extract<Subscription, { readonly auth: FeedAuth }>,
): void {
  all.delete(id)
  afterThis('venue', sink.expired)
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

function sizeOf(all: State['all']) {
  const each = [...all.values()]
  const topics = new Set(each.flatMap((of) => ('topic' in of ? [of.topic] : [])))
  return { topics: topics.size, accounts: each.filter((of) => 'auth' in of).length, malformed: 0 }
}
