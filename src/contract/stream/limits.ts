import { DAY_MS, MINUTE_MS } from '../durations.ts'
/** Sizes, ages and counts of live data. The unit is the last word of each name. */
export const STREAM_LIMITS = {
  flushMs: 200,
  bookLevels: 100,
  bookCrossedMaxMs: 2000,
  eventRows: 50,
  candleRows: 100,
  /** How long a topic is kept after its last subscriber has left. */
  lingerMs: 30_000,
  ringMessages: 512,
  ringMs: MINUTE_MS,
  ringBytes: 1024 * 1024,
  staleMs: 10_000,
  connectionsPerAddress: 20,
  topicsPerConnection: 100,
  topicMaxChars: 64,
  messagesPerSecond: 10,
  messageMaxBytes: 4096,
  violationsMax: 3,
  lifeMs: DAY_MS,
  /** A connection with more unsent bytes counts as slow: it skips messages and catches up with snapshots. */
  behindBytes: 64 * 1024,
  behindMaxBytes: 1024 * 1024,
  behindMaxMs: 30_000,
  /**
   * Maximum time without progress while a closing stream drains. After this time, the remaining messages are dropped.
   */
  closingMs: 10_000,
  heartbeatMs: 15_000,
  missedMax: 2,
  retryMs: 2000,
  byeMinMs: 500,
  byeSpreadMs: 5000,
  feedTopicsPerSocket: 500,
  feedSilenceMs: 25_000,
  feedBackoffMinMs: 250,
  feedBackoffMaxMs: 15_000,
  feedSubscribesPerSecond: 20,
  feedRequestMs: 5000,
  feedBufferedMessages: 2000,
  feedMessageMaxBytes: 1024 * 1024,
} as const

/** WebSocket close codes: two from RFC 6455, and 4408, which only this service uses. */
export const STREAM_CLOSES = { goingAway: 1001, violation: 1008, tooSlow: 4408 } as const
