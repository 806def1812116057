/** Sizes, counts and times of the venue's own listener. The unit is the last word of each name. */
export const WIRE_LIMITS = {
  bodyMaxBytes: 256 * 1024,
  socketsMax: 4096,
  socketMessageMaxBytes: 16 * 1024,
  /** Whoever leaves more than this unread is dropped. */
  socketUnreadMaxBytes: 4 * 1024 * 1024,
  subscriptionsPerSocketMax: 1000,
  socketPingMs: 10_000,
  /** Whoever answers none of so many pings is dropped. */
  socketPingsMissedMax: 10,
  /** Anybody who has not said who they are by then is dropped. */
  socketAuthMs: 10_000,
} as const
