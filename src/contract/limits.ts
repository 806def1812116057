import { DAY_MS } from './durations.ts'
/** Sizes, ages and counts. The unit is the last word of each name. */
export const LIMITS = {
  httpBodyMaxBytes: 256 * 1024,
  /** Maximum size of a file that a setting names: settings, secrets, certificates, vouchers, a scenario. */
  settingsFileMaxBytes: 1024 * 1024,
  pricesFileMaxBytes: 64 * 1024 * 1024,
  /** Maximum number of keys and tables in a TOML file. */
  tomlKeysMax: 4000,
  /** Maximum time for a request's body to arrive. */
  httpBodyDeadlineMs: 5000,
  /** Maximum memory for all request bodies that are being read. */
  httpBodiesMaxBytes: 64 * 1024 * 1024,
  /** A body up to this size counts towards a separate bound. */
  httpSmallBodyMaxBytes: 4096,
  httpSmallBodiesMaxBytes: 32 * 1024 * 1024,
  /** Divisor: an address may hold 1/n of the free memory, but always one body, so that memory is left for other addresses. */
  httpBodyShares: 4,
  /** Maximum nesting depth of a request's JSON. */
  httpBodyDepthMax: 64,
  /** A longer uncached answer is sent uncompressed, because compressing it would delay other answers. */
  packedOnceMaxBytes: 512 * 1024,
  /** Maximum number of cached parsed values of Accept-Encoding. */
  encodingsKnownMax: 256,
  /** Maximum size of the cache of parsed peers and forwarded addresses, in characters. */
  callersKnownMaxChars: 512 * 1024,
  /** Maximum size of a policy's cache of rate window look-ups, in characters of the windows' names. */
  windowsKnownMaxChars: 128 * 1024,
  relayPathMinChars: 2,
  relayPathMaxChars: 512,
  relayBodyMaxChars: 32_768,
  relayKeyMaxChars: 128,
  relaySignatureMinChars: 16,
  relaySignatureMaxChars: 256,
  relayTimestampMinDigits: 10,
  relayTimestampMaxDigits: 16,
  signatureAgeMaxMs: 300_000,
  /** How long a claim outlives its signature, in case the clock steps back. */
  claimMarginMs: 60_000,
  /** Maximum life of a claim: a timestamp up to five minutes ahead, valid for five minutes, plus the margin. */
  claimLifeMaxMs: 2 * 300_000 + 60_000,
  /** Maximum number of claims in memory. At the maximum only cancels and reductions are sent. */
  claimsHeldMax: 1_000_000,
  /** Divisor: an account may hold 1/n of the free claims, so that claims are left for other accounts. */
  claimShares: 10,
  /**
   * Maximum number of client order ids of a mandated account, each held for a day. All accounts and agents together use
   * at most half of the table.
   */
  orderIdsHeldMax: 50_000,
  /**
   * Maximum number of orders per account that count towards limits with their fills. Older orders count with their
   * worst case.
   */
  spendingRowsMax: 10_000,
  /** Maximum number of cached pairs of account and key. */
  proofsSeenMax: 10_000,
  nonceLifeMs: 120_000,
  keyLifeMaxMs: 365 * DAY_MS,
  /** Maximum lifetime of a key on a virtual clock, which can advance years within hours. */
  keyLifeVirtualMaxMs: 36_500 * DAY_MS,
  queryMaxChars: 8192,
  queryValueMaxChars: 512,
  /** Maximum length of the list of topics in a query, with commas. */
  streamTopicsMaxChars: 100 * 65,
  upstreamBodyMaxBytes: 16 * 1024 * 1024,
  /** Maximum memory for all answers that are being read. Writes have a separate bound. */
  upstreamReadBodiesMaxBytes: 64 * 1024 * 1024,
  upstreamWriteBodiesMaxBytes: 32 * 1024 * 1024,
  /** Maximum size of an answer's head, including interim (1xx) heads. */
  upstreamHeadMaxBytes: 256 * 1024,
  /** Maximum bytes of chunk framing, in addition to a quarter of the chunks' content. */
  upstreamFramingMaxBytes: 16 * 1024,
  /**
   * Maximum number of connection attempts to one host at a time, for reads and for writes each, because an attempt may
   * take minutes.
   */
  upstreamOpeningMax: 256,
  upstreamReadDeadlineMs: 10_000,
  upstreamWriteDeadlineMs: 15_000,
  /** Maximum wait of a graceful drain for open calls: above a write's deadline, below the service unit's timeout. */
  stopDeadlineMs: 20_000,
  upstreamConcurrentMax: 192,
  upstreamWriteReserved: 64,
  /**
   * Slots only for cancels and reductions, in addition to `upstreamConcurrentMax`, so that hanging orders cannot occupy
   * them.
   */
  upstreamReducingReserved: 32,
  /** Divisor: an account may hold 1/n of the free slots, but always one, so that slots are left for other accounts. */
  upstreamShares: 4,
  /** Maximum number of calls that wait for a slot. The maximum bounds the memory of waiting calls. */
  upstreamReadQueuedMax: 16_384,
  upstreamWriteQueuedMax: 2048,
  /**
   * How long an idle connection is kept: shorter than most servers and load balancers keep it, so that few are dead on
   * reuse.
   */
  upstreamReadIdleMs: 20_000,
  /** How long an idle connection for writes is kept: shorter, because writes are not retried on a second connection. */
  upstreamWriteIdleMs: 4000,
  /** Maximum buffered bytes of an answer that arrives faster than it is read. */
  upstreamUnreadMaxBytes: 1024 * 1024,
  /** An instance that does not announce a write within this time after its claim counts as stopped. */
  peerSilenceMaxMs: 700,
  /** How often a repeated write asks other instances for the sender, and checks whether the claim was released. */
  peerLookEveryMs: 250,
  /** After a failed renewal, a stale answer is served for this long without a new attempt. */
  cacheRenewPauseMs: 2000,
  /** The client's deadline: above the service's deadline for the venue, so that the service answers first. */
  clientDeadlineMs: 30_000,
  /** Maximum number of trusted proxies in a chain; hops beyond it are ignored. */
  proxyHopsMax: 32,
  /** Maximum number of faults listed per request. */
  bodyFaultsMax: 16,
  /** Maximum time that a request waits for PostgreSQL. */
  postgresWaitMaxMs: 1000,
  /** Divisor: an owner may hold 1/n of the free connections of each use, but always one. */
  postgresShares: 2,
  /** Maximum number of PostgreSQL queries that wait for a connection, per use and queue. */
  postgresQueuedMax: 2048,
  /** An engine's clock skew of this size or more is logged. From the second value on, prepd claims no writes. */
  engineSkewWarnMs: 1000,
  engineSkewMaxMs: 30_000,
  /** Clock skew of the venue at which this service reports itself degraded. */
  venueSkewMaxMs: 30_000,
  /** Maximum number of own claims that an instance remembers, to detect that a database server has lost claims. */
  ownClaimsMax: 200_000,
  ownReservationsMax: 50_000,
  scrubDepthMax: 64,
  cacheMemoryMaxBytes: 32 * 1024 * 1024,
  /** An answer with a shorter lifetime is cached only in memory, because it would expire during a restart. */
  cacheDiskLifeMinMs: 60_000,
  /**
   * Maximum bytes per minute that one address adds to the disk cache. The next value is the number of addresses that
   * are counted separately.
   */
  cacheDiskMinuteMaxBytes: 1024 * 1024,
  cacheDiskKeysMax: 100_000,
  limiterKeysMax: 1_000_000,
  /** Shared windows per policy for callers that arrive while all windows are in use. */
  overflowWindows: 1024,
  verifierKeysMax: 10_000,
  replayAnswersMaxBytes: 16 * 1024 * 1024,
  /** How often the files of a certificate are checked for changes. */
  tlsLookMs: 10_000,
  /** Maximum number of practice accounts in one list, and the maximum practice deposit. */
  practiceRowsMax: 1000,
  practiceFundMaxUsdc: 10_000_000,
  /** Maximum size of a tool result. Agents' clients silently cut longer results in the middle of a row. */
  toolResultMaxBytes: 60_000,
  /** Bytes of a result reserved for everything except its rows. */
  toolResultFrameBytes: 4_000,
  /** The default maximum size of an unshaped payload in a result, below 1,000 tokens. */
  toolPayloadDefaultBytes: 2_400,
  /** How long a tool waits for the fill of an order that it placed; the next value is the polling interval. */
  orderWaitMaxMs: 3_000,
  orderLookEveryMs: 200,
  /** The history rows that an account's report reads: maximum pages, and rows per page. */
  reportPagesMax: 4,
  reportPageRows: 500,
} as const

/** Maximum length of each request header in characters; a longer value is `invalid_request`. */
export const HEADER_MAX_CHARS = {
  'accept-encoding': 512,
  authorization: 1024,
  'content-type': 256,
  forwarded: 2048,
  host: 512,
  'if-none-match': 4096,
  origin: 512,
  'x-forwarded-for': 2048,
  'x-forwarded-proto': 256,
} as const

/** Maximum length of every other header, such as agents' ids, keys, names and lists of markets. */
export const HEADER_OTHER_MAX_CHARS = 2048

/** List sizes per route. A number is rounded down and clamped; any other value becomes the fallback. */
export const CLAMPS = {
  candles: { min: 1, max: 500, fallback: 100 },
  trades: { min: 1, max: 200, fallback: 50 },
  liquidations: { min: 1, max: 100, fallback: 20 },
  leaderboard: { min: 1, max: 200, fallback: 50 },
  whales: { min: 1, max: 200, fallback: 25 },
} as const

/** A GCRA policy: `requests` per `seconds`, up to `burst` at once. */
export type Policy = { readonly requests: number; readonly seconds: number; readonly burst: number }

/** Default rate policies by name; each is a setting `LIMIT_<NAME>`. */
export const POLICIES = {
  read: { requests: 600, seconds: 60, burst: 120 },
  write: { requests: 10, seconds: 60, burst: 5 },
  relay: { requests: 300, seconds: 60, burst: 60 },
  account: { requests: 300, seconds: 60, burst: 60 },
  cancel: { requests: 600, seconds: 60, burst: 120 },
  mcp: { requests: 300, seconds: 60, burst: 60 },
  swap_quote: { requests: 30, seconds: 60, burst: 10 },
  swap: { requests: 60, seconds: 60, burst: 20 },
  voucher: { requests: 10, seconds: 60, burst: 5 },
  referral: { requests: 10, seconds: 60, burst: 5 },
  admin: { requests: 60, seconds: 60, burst: 20 },
} as const satisfies Record<string, Policy>

export type PolicyName = keyof typeof POLICIES

export function isPolicyName(name: string): name is PolicyName {
  return Object.hasOwn(POLICIES, name)
}

/**
 * The lifetime of a cached answer in seconds, in three phases:
 * - fresh,
 * - served stale while a refresh runs,
 * - served only while the venue fails.
 */
export type Lifetime = {
  readonly freshSeconds: number
  readonly staleWhileRevalidateSeconds: number
  readonly staleIfErrorSeconds: number
}

const STALE_IF_ERROR_MAX_SECONDS = 3600

/**
 * A lifetime for which stale answers are served only during an outage. Default duration: ten times the lifetime, at
 * most an hour.
 */
export function lifetime(
  freshSeconds: number,
  staleIfErrorSeconds = Math.min(10 * freshSeconds, STALE_IF_ERROR_MAX_SECONDS),
): Lifetime {
  return { freshSeconds, staleWhileRevalidateSeconds: 0, staleIfErrorSeconds }
}
