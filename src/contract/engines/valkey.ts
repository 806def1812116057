/** Bounds of the state that instances share in Valkey. Names end in their unit. */
export const VALKEY_LIMITS = {
  /** Maximum total wait of one request for Valkey. */
  waitMaxMs: 250,
  /** A connection that leaves a command unanswered for this long is closed. */
  silenceMaxMs: 1000,
  connectMaxMs: 1000,
  /** Maximum delay before a reconnect. */
  reconnectMaxMs: 500,
  /** After this many consecutive timeouts the circuit breaker opens. */
  timeoutsMax: 3,
  breakerOpenMs: 1000,
  /** How often locally admitted reads are reported to the other instances, and the maximum number of windows per report. */
  reconcileEveryMs: 250,
  reconcileKeysMax: 100,
  /** Maximum number of windows that wait to be reported. Above the maximum, new windows are counted locally. */
  reconcileHeldMax: 100_000,
  /** Maximum size of a shared answer. Each instance loads a larger answer separately. */
  sharedMaxBytes: 1024 * 1024,
  /** Maximum bytes that one address may add to the shared cache per minute. */
  sharedMinuteMaxBytes: 8 * 1024 * 1024,
  /**
   * Maximum bytes of outcomes that an instance keeps of its own writes. After Valkey has lost its data, it restores
   * them.
   */
  ownOutcomesMaxBytes: 8 * 1024 * 1024,
  /** Duration of a load lease. The instance renews the lease while it loads. */
  leaseMs: 2000,
  leaseRenewMs: 700,
  /** Duration of the lease for notifying of a condition. The instance renews the lease while the condition holds. */
  noticeLeaseMs: 30_000,
  /** Interval at which an instance that waits for a peer also polls, because a published message can be lost. */
  lookEveryMs: 500,
  /** Maximum number of keys that are scanned for a listing. */
  listedKeysMax: 20_000,
  /**
   * Maximum number of published claims with future timestamps. An owner may hold at most a tenth of the part that other
   * owners leave free.
   */
  aheadMax: 20_000,
  aheadOwnersMin: 10,
  /** How long a published claim is kept: longer than a timestamp may lie in the future. */
  aheadKeptMs: 600_000,
  /** Maximum attempts to register the database while other instances register at the same time. */
  exchangesMax: 8,
} as const

/** Bounds of the live feed that one instance reads for all. Names end in their unit. */
export const CLUSTER_FEED = {
  /** A leader that does not renew its lease within this time loses it. */
  leadMs: 3000,
  /** How often each instance that needs the feed checks who leads. */
  lookEveryMs: 1000,
  /** A leader collects messages for this long, or up to this size, and publishes them together. */
  batchMs: 25,
  batchMaxChars: 256 * 1024,
  /** Maximum size of unsent messages. Further messages are dropped; followers detect the gap. */
  sendingMaxChars: 8 * 1024 * 1024,
  /** Maximum number of topics that the leader serves to followers, and of topics in one request of a follower. */
  topicsMax: 2000,
} as const
