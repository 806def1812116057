/** One message of the venue's live wire. `data` is what parseExact made of it, `atMs` the venue's time. */
export type FeedMessage = {
  readonly topic: string
  readonly atMs: number
  readonly data: unknown
}

/** A subscriber of one topic. */
export type FeedSink = {
  readonly message: (message: FeedMessage) => void
  /** The topic is subscribed, for the first time or again: what comes next follows what the venue says by request now. */
  readonly opened: () => void
  /** Nothing arrives any more. */
  readonly lost: () => void
}

/** What proves a key to the venue's private wire: the signature covers the timestamp alone. */
export type FeedAuth = {
  readonly accountId: string
  readonly key: string
  readonly timestamp: string
  readonly signature: string
}

/** A subscriber of one account: every private topic arrives here. */
export type AccountSink = FeedSink & {
  /** The venue does not take the key, or no longer. The end. */
  readonly refused: () => void
  /** The connection is gone and the signature too old to open another. The end. */
  readonly expired: () => void
}

type FeedSize = {
  readonly topics: number
  readonly accounts: number
  readonly malformed: number
}

/** The venue's live wire, over the network or in this process. Topics are the venue's own. */
export type Feed = {
  /** Subscribes to a topic; answers how to unsubscribe. */
  readonly subscribe: (topic: string, sink: FeedSink) => () => void
  /** The whole order book, by one request. Throws UpstreamError. */
  readonly book: (symbol: string) => Promise<FeedMessage>
  /** Subscribes to an account's private topics; answers how to unsubscribe. Null where that is not configured. */
  readonly account: ((auth: FeedAuth, sink: AccountSink) => () => void) | null
  /** What is subscribed at the venue now, and how many messages could not be read so far. */
  readonly size: () => FeedSize
  readonly close: () => void
}
