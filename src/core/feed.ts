/** One message of the venue's live wire. `data` comes from parseExact, `atMs` is the venue's time. */
export type FeedMessage = {
  readonly topic: string
  readonly atMs: number
  readonly data: unknown
}

/** A subscriber of one topic. */
export type FeedSink = {
  readonly message: (message: FeedMessage) => void
  /** Called when the topic is subscribed (again): later messages continue the state that a request returns now. */
  readonly opened: () => void
  /** Called when the connection is lost; no messages arrive until `opened`. */
  readonly lost: () => void
}

/** The authentication for the venue's private feed. The signature covers only the timestamp. */
export type FeedAuth = {
  readonly accountId: string
  readonly key: string
  readonly timestamp: string
  readonly signature: string
}

/** A subscriber of one account. It receives every private topic. */
export type AccountSink = FeedSink & {
  /** Called when the venue refuses the key; the subscription has ended. */
  readonly refused: () => void
  /**
   * Called when the connection is lost and the signature is too old for a new connection; the subscription has ended.
   */
  readonly expired: () => void
}

type FeedSize = {
  readonly topics: number
  readonly accounts: number
  readonly malformed: number
}

/**
 * The shared public feed of several instances: leader election and one channel in each direction. Its engine may be
 * unavailable.
 */
export type FeedBus = {
  /**
   * Takes or keeps the lead. Returns its term, which increases with each new leader; null while a different instance
   * leads. Throws EngineAway.
   */
  readonly lead: () => Promise<number | null>
  /** The name of the leading instance; null without a leader. Throws EngineAway. */
  readonly leader: () => Promise<string | null>
  /** Gives up the lead if this instance has it. */
  readonly resign: () => void
  /** Publishes to all listeners: the leader on `feed`, followers on `asks`. Throws EngineAway. */
  readonly send: (channel: FeedChannel, text: string) => Promise<void>
  /**
   * Listens to a channel. Misses messages before the subscription takes effect and while the connection is lost.
   * Returns a function that stops listening.
   */
  readonly listen: (channel: FeedChannel, listener: (text: string) => void) => () => void
}

export type FeedChannel = 'feed' | 'asks'

/** The venue's live feed, over the network or in this process. Topics have the venue's names. */
export type Feed = {
  /** Subscribes to a topic. Returns a function that unsubscribes. */
  readonly subscribe: (topic: string, sink: FeedSink) => () => void
  /** Requests the whole order book. Throws UpstreamError. */
  readonly book: (symbol: string) => Promise<FeedMessage>
  /**
   * Subscribes to an account's private topics. Returns a function that unsubscribes. Null if no private feed is
   * configured.
   */
  readonly account: ((auth: FeedAuth, sink: AccountSink) => () => void) | null
  /** The number of current subscriptions, and of unreadable messages so far. */
  readonly size: () => FeedSize
  readonly close: () => void
}
