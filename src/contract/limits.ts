import { DAY_MS } from './durations.ts'
/** Sizes, ages and counts. The unit is the last word of each name. */
export const LIMITS = {
  httpBodyMaxBytes: 256 * 1024,
  /** The largest file that a setting names: settings, secrets, certificates, vouchers, a scenario. */
  settingsFileMaxBytes: 1024 * 1024,
  pricesFileMaxBytes: 64 * 1024 * 1024,
  /** Keys and tables of a TOML file. */
  tomlKeysMax: 4000,
  /** How long a request's body may take to arrive. */
  httpBodyDeadlineMs: 5000,
  /** Memory of all request bodies that are being read. */
  httpBodiesMaxBytes: 64 * 1024 * 1024,
  /** A body of at most so many bytes counts towards a bound of its own. */
  httpSmallBodyMaxBytes: 4096,
  httpSmallBodiesMaxBytes: 32 * 1024 * 1024,
  /** An address may hold this part of the memory that is free, one body at least: some is left for one that comes later. */
  httpBodyShares: 4,
  /** How deep the JSON of a request may nest. */
  httpBodyDepthMax: 64,
  /** A longer answer that is not cached is sent without compression, which would delay other answers. */
  packedOnceMaxBytes: 512 * 1024,
  /** Cached parsed values of Accept-Encoding. */
  encodingsKnownMax: 256,
  /** Cached parsed peers and forwarded addresses, in characters. */
  callersKnownMaxChars: 512 * 1024,
  /** Cached look-ups of a policy's rate windows, in characters of their names. */
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
  /** How much longer than its signature a claim lives, in case the clock steps back. */
  claimMarginMs: 60_000,
  /** The longest life of a claim: a timestamp as far in the future as accepted, plus the margin. */
  claimLifeMaxMs: 2 * 300_000 + 60_000,
  /** Claims held in memory at a time; above it only cancels and reductions are sent. */
  claimsHeldMax: 1_000_000,
  /** An account may hold as many claims as this part of what is free: always something is left for one that comes later. */
  claimShares: 10,
  /** Orders' own ids of a mandated account, each held for a day; those of all accounts and agents take half of what is held. */
  orderIdsHeldMax: 50_000,
  /** Orders per account whose fills can lower what they use of its limits; older ones count at their worst case. */
  spendingRowsMax: 10_000,
  /** Cached pairs of account and key. */
  proofsSeenMax: 10_000,
  nonceLifeMs: 120_000,
  keyLifeMaxMs: 365 * DAY_MS,
  /** The same in front of a virtual clock, which passes years within hours. */
  keyLifeVirtualMaxMs: 36_500 * DAY_MS,
  queryMaxChars: 8192,
  queryValueMaxChars: 512,
  /** The list of topics in a query, with commas. */
  streamTopicsMaxChars: 100 * 65,
  upstreamBodyMaxBytes: 16 * 1024 * 1024,
  /** Memory of all answers that are being read; writes have a share of their own. */
  upstreamReadBodiesMaxBytes: 64 * 1024 * 1024,
  upstreamWriteBodiesMaxBytes: 32 * 1024 * 1024,
  /** The head of an answer, including interim (1xx) heads. */
  upstreamHeadMaxBytes: 256 * 1024,
  /** Bytes of chunk framing beyond a quarter of the chunks' content. */
  upstreamFramingMaxBytes: 16 * 1024,
  /** Connections to one host being opened at a time, each for reads and writes; an attempt may take minutes. */
  upstreamOpeningMax: 256,
  upstreamReadDeadlineMs: 10_000,
  upstreamWriteDeadlineMs: 15_000,
  /** How long a stop waits for open calls: longer than a write's deadline, shorter than the service unit's timeout. */
  stopDeadlineMs: 20_000,
  upstreamConcurrentMax: 192,
  upstreamWriteReserved: 64,
  /** Slots for cancels and reductions beyond `upstreamConcurrentMax`: orders that hang never take them. */
  upstreamReducingReserved: 32,
  /** An account may hold this part of the free slots, one at least: some are left for an account that comes later. */
  upstreamShares: 4,
  /** Calls that wait for a slot, which bounds their memory. */
  upstreamReadQueuedMax: 16_384,
  upstreamWriteQueuedMax: 2048,
  /** How long an idle connection is kept: shorter than servers and balancers keep it, so that few are dead. */
  upstreamReadIdleMs: 20_000,
  /** The same for writes, which are not retried on another connection. */
  upstreamWriteIdleMs: 4000,
  /** Unread bytes of an answer that arrives faster than it is read. */
  upstreamUnreadMaxBytes: 1024 * 1024,
  /** An instance announces a write within this time after its claim; otherwise it counts as gone. */
  peerSilenceMaxMs: 700,
  /** How often a repeated write asks other instances for its sender, and checks whether the claim was released. */
  peerLookEveryMs: 250,
  /** After a failed renewal a stale answer is served without another attempt for this long. */
  cacheRenewPauseMs: 2000,
  /** The client's deadline: longer than the service's deadline for the venue, so that the service answers first. */
  clientDeadlineMs: 30_000,
  /** The longest chain of trusted proxies; hops beyond it are ignored. */
  proxyHopsMax: 32,
  /** Faults listed for one request. */
  bodyFaultsMax: 16,
  /** How long a request waits for PostgreSQL. */
  postgresWaitMaxMs: 1000,
  /** Clock skew of an engine from which it is logged, and from which no write is claimed. */
  engineSkewWarnMs: 1000,
  engineSkewMaxMs: 30_000,
  /** Clock skew of the venue from which this service is degraded. */
  venueSkewMaxMs: 30_000,
  /** Own claims that an instance remembers, to recognise a database server that has lost them. */
  ownClaimsMax: 200_000,
  ownReservationsMax: 50_000,
  scrubDepthMax: 64,
  cacheMemoryMaxBytes: 32 * 1024 * 1024,
  /** An answer with a shorter life is cached in memory only: it would expire during a restart. */
  cacheDiskLifeMinMs: 60_000,
  /** Bytes that one address can write to the disk cache in a minute, and the addresses counted separately. */
  cacheDiskMinuteMaxBytes: 1024 * 1024,
  cacheDiskKeysMax: 100_000,
  limiterKeysMax: 1_000_000,
  /** Per policy, for callers that come when all of those are in use. */
  overflowWindows: 1024,
  verifierKeysMax: 10_000,
  replayAnswersMaxBytes: 16 * 1024 * 1024,
  /** How often the files of a certificate are checked for changes. */
  tlsLookMs: 10_000,
  /** Practice accounts in one list, and the largest practice deposit. */
  practiceRowsMax: 1000,
  practiceFundMaxUsdc: 10_000_000,
  /** Agents' clients silently cut longer results in the middle of a row. */
  toolResultMaxBytes: 60_000,
  /** The part of a result reserved for everything but its rows. */
  toolResultFrameBytes: 4_000,
  /** The default size of an unshaped payload in a result: less than 1,000 tokens. */
  toolPayloadDefaultBytes: 2_400,
  /** How long a tool that placed an order waits for its fill, and how often it checks. */
  orderWaitMaxMs: 3_000,
  orderLookEveryMs: 200,
  /** Rows of each history that a report of an account reads: pages, and rows a page. */
  reportPagesMax: 4,
  reportPageRows: 500,
} as const

/** The longest value of each request header, in characters; a longer one is `invalid_request`. */
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

/** The same for every other header, such as agents' ids, keys, names and lists of markets. */
export const HEADER_OTHER_MAX_CHARS = 2048

/** List sizes by route: a value that is no number becomes the fallback, a number is rounded down and clamped. */
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
 * The life of a cached answer in seconds: fresh, then served stale while it is refreshed, then served only while the
 * venue fails.
 */
export type Lifetime = {
  readonly freshSeconds: number
  readonly staleWhileRevalidateSeconds: number
  readonly staleIfErrorSeconds: number
}

const STALE_IF_ERROR_MAX_SECONDS = 3600

/** A lifetime that is extended only in an outage: by default ten times as long, at most an hour. */
export function lifetime(
  freshSeconds: number,
  staleIfErrorSeconds = Math.min(10 * freshSeconds, STALE_IF_ERROR_MAX_SECONDS),
): Lifetime {
  return { freshSeconds, staleWhileRevalidateSeconds: 0, staleIfErrorSeconds }
}
