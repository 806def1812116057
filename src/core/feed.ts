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
