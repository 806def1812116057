/** One message of the venue's live wire. `data` comes from parseExact, `atMs` is the venue's time. */
export type FeedMessage = {
  readonly topic: string
  readonly atMs: number
  readonly data: unknown
}

/** A subscriber of one topic. */
export type FeedSink = {
  readonly message: (message: FeedMessage) => void
  /** The topic is subscribed, maybe again: later messages continue the state that a request returns now. */
  readonly opened: () => void
  /** The connection is lost; no messages arrive until `opened`. */
  readonly lost: () => void
}

/** The authentication for the venue's private wire: the signature covers the timestamp alone. */
export type FeedAuth = {
  readonly accountId: string
  readonly key: string
  readonly timestamp: string
  readonly signature: string
}

/** A subscriber of one account: every private topic arrives here. */
export type AccountSink = FeedSink & {
  /** The venue refuses the key; the subscription has ended. */
  readonly refused: () => void
  /** The connection is lost and the signature too old for a new one; the subscription has ended. */
  readonly expired: () => void
}

type FeedSize = {
  readonly topics: number
  readonly accounts: number
  readonly malformed: number
}

/** What instances share of the venue's public live wire: who leads, and a channel each way. All of it may be away. */
export type FeedBus = {
  /** Takes the lead or keeps it; its term, which rises from lead to lead, or null while another leads. Throws EngineAway. */
  readonly lead: () => Promise<number | null>
  /** The name of the instance that leads, this one or another; null while none does. Throws EngineAway. */
  readonly leader: () => Promise<string | null>
  /** Gives the lead up, where it is this instance's. */
  readonly resign: () => void
  /** Sends to all who listen: `feed` is the leader's, `asks` that of those who follow. Throws EngineAway. */
  readonly send: (channel: FeedChannel, text: string) => Promise<void>
  /** Listens from a moment after, and misses what comes while the connection is lost. Returns how to stop. */
  readonly listen: (channel: FeedChannel, listener: (text: string) => void) => () => void
}

export type FeedChannel = 'feed' | 'asks'

/** The venue's live wire, over the network or in this process. Topics are the venue's own. */
export type Feed = {
  /** Subscribes to a topic. Returns a function that unsubscribes. */
  readonly subscribe: (topic: string, sink: FeedSink) => () => void
  /** The whole order book, by one request. Throws UpstreamError. */
  readonly book: (symbol: string) => Promise<FeedMessage>
  /** Subscribes to an account's private topics. Returns a function that unsubscribes. Null when not configured. */
  readonly account: ((auth: FeedAuth, sink: AccountSink) => () => void) | null
  /** The number of current subscriptions, and of unreadable messages so far. */
  readonly size: () => FeedSize
  readonly close: () => void
}
