/** Bounds of what instances share in Valkey. The unit is the last word of each name. */
export const VALKEY_LIMITS = {
  /** How long one request waits for the engine, however much it asks of it. */
  waitMaxMs: 250,
  /** A connection that says nothing for as long, though it was asked, is given up. */
  silenceMaxMs: 1000,
  connectMaxMs: 1000,
  /** The longest pause before it is tried again. */
  reconnectMaxMs: 500,
  /** As many commands in a row without an answer, and the engine is not asked for a while. */
  timeoutsMax: 3,
  breakerOpenMs: 1000,
  /** How often reads that were admitted here are reported to the others, and how many windows one call reports. */
  reconcileEveryMs: 250,
  reconcileKeysMax: 100,
  /** Windows that wait to be reported; those of newcomers beyond are counted here alone. */
  reconcileHeldMax: 100_000,
  /** An answer that is larger is loaded by every instance for itself. */
  sharedMaxBytes: 1024 * 1024,
  /** The bytes that one address may have cached in a minute. */
  sharedMinuteMaxBytes: 8 * 1024 * 1024,
  /** Outcomes of its own writes that an instance holds for an engine that lost them. */
  ownOutcomesMaxBytes: 8 * 1024 * 1024,
  /** How long a load is one instance's before another may begin it; it is renewed while the load goes on. */
  leaseMs: 2000,
  leaseRenewMs: 700,
  /** How long one instance alone notifies of a condition; it is renewed while the condition holds. */
  noticeLeaseMs: 30_000,
  /** How often whoever waits for another instance looks for itself: what is announced can be lost. */
  lookEveryMs: 500,
  /** Keys looked through to list what is kept. */
  listedKeysMax: 20_000,
  /** Claims signed ahead of the time that are published at once: of all, and of one owner. */
  aheadMax: 20_000,
  aheadOwnerMax: 2000,
  /** How long they are kept: longer than any timestamp lies ahead. */
  aheadKeptMs: 600_000,
  /** Tries to register the database while other instances do. */
  exchangesMax: 8,
} as const

/** Bounds of the venue's live wire that one instance has for all. The unit is the last word of each name. */
export const CLUSTER_FEED = {
  /** A leader that has not said so again for as long leads no more, and one that is silent for as long is lost. */
  leadMs: 3000,
  /** How often each instance that needs the wire looks who leads. */
  lookEveryMs: 1000,
  /** What a leader has is gathered for so long, or until it is so much, and published together. */
  batchMs: 25,
  batchMaxChars: 256 * 1024,
  /** What is being published at most; more is left out, and noticed by those who follow. */
  sendingMaxChars: 8 * 1024 * 1024,
  /** Topics that others may have of a leader, and that one may ask for. */
  topicsMax: 2000,
} as const
