import { DAY_MS } from './durations.ts'
/** Sizes, ages and counts. The unit is the last word of each name. */
export const LIMITS = {
  httpBodyMaxBytes: 256 * 1024,
  /** A file that a setting names: settings, secrets, certificates, vouchers, a scenario. */
  settingsFileMaxBytes: 1024 * 1024,
  pricesFileMaxBytes: 64 * 1024 * 1024,
  /** Keys and tables of a TOML file. */
  tomlKeysMax: 4000,
  /** How long a request's body may take to arrive. */
  httpBodyDeadlineMs: 5000,
  /** What all bodies being read take together. */
  httpBodiesMaxBytes: 64 * 1024 * 1024,
  /** How deep the JSON of a request may nest. */
  httpBodyDepthMax: 64,
  /** A longer answer that is sent once is not packed: nobody else's waits for that. */
  packedOnceMaxBytes: 512 * 1024,
  /** Different values of Accept-Encoding whose meaning is remembered. */
  encodingsKnownMax: 256,
  /** Different peers and forwarded addresses whose meaning is remembered, in characters. */
  visitorsKnownMaxChars: 512 * 1024,
  /** Rate windows of a policy that are found at once, in characters of their names. */
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
  /** How much longer than its signature a claim lives: a clock that steps back must not reopen a door. */
  claimMarginMs: 60_000,
  /** The longest a claim can live: signed as far in the future as is taken, and its margin. */
  claimLifeMaxMs: 2 * 300_000 + 60_000,
  /** Claims at once, which are held in memory: no write is sent beyond them. */
  claimsHeldMax: 1_000_000,
  /** Pairs of account and key that are known without asking the store. */
  proofsSeenMax: 10_000,
  nonceLifeMs: 120_000,
  keyLifeMaxMs: 365 * DAY_MS,
  queryMaxChars: 8192,
  queryValueMaxChars: 512,
  /** All of them with commas between, in a query. */
  streamTopicsMaxChars: 100 * 65,
  upstreamBodyMaxBytes: 16 * 1024 * 1024,
  /** What all answers being read take together; those of writes have a share that no read can take. */
  upstreamReadBodiesMaxBytes: 64 * 1024 * 1024,
  upstreamWriteBodiesMaxBytes: 32 * 1024 * 1024,
  /** The head of an answer, with those that only announce it. */
  upstreamHeadMaxBytes: 256 * 1024,
  /** What frames the chunks of an answer may take beyond a quarter of what the chunks carry. */
  upstreamFramingMaxBytes: 16 * 1024,
  /** Connections to one host that are being opened, for reads as for writes: the system tries on for minutes. */
  upstreamOpeningMax: 256,
  upstreamReadDeadlineMs: 10_000,
  upstreamWriteDeadlineMs: 15_000,
  /** How long a stop waits for what is under way: longer than a write may take, shorter than the service unit does. */
  stopDeadlineMs: 20_000,
  upstreamConcurrentMax: 192,
  upstreamWriteReserved: 64,
  /** Calls that wait for a slot while they can still be answered in time: what they may take of memory. */
  upstreamReadQueuedMax: 16_384,
  upstreamWriteQueuedMax: 2048,
  /** How long an idle connection is kept: shorter than servers and balancers do, so that reads seldom meet a dead one. */
  upstreamReadIdleMs: 20_000,
  /** The same of connections for writes, which find no second one where the first is dead. */
  upstreamWriteIdleMs: 4000,
  /** Of an answer that comes in faster than it is read. */
  upstreamUnreadMaxBytes: 1024 * 1024,
  /** An instance that sends a write announces it within this time; the one that has claimed it is gone otherwise. */
  peerSilenceMaxMs: 700,
  /** How often a repeat asks other instances who is sending its write, and looks whether it was given back. */
  peerLookEveryMs: 250,
  /** After a failed renewal a stale answer is served without another attempt for this long. */
  cacheRenewPauseMs: 2000,
  /** How long a client waits: longer than the service waits for the venue, so that the service's own answer arrives first. */
  clientDeadlineMs: 30_000,
  /** A longer chain of trusted proxies is not believed beyond this. */
  proxyHopsMax: 32,
  /** Faults of one request that are listed. */
  bodyFaultsMax: 16,
  /** How long a request waits for PostgreSQL. */
  postgresWaitMaxMs: 1000,
  /** How far an engine's clock may be from ours before it is logged, and before no write is claimed. */
  engineSkewWarnMs: 1000,
  engineSkewMaxMs: 30_000,
  /** Claims that an instance keeps in memory, to recognise a server that has lost them. */
  ownClaimsMax: 200_000,
  scrubDepthMax: 64,
  cacheMemoryMaxBytes: 32 * 1024 * 1024,
  /** An answer that is of no use for as long stays in memory alone: it would be gone before a restart is over. */
  cacheDiskLifeMinMs: 60_000,
  /** What one address can have written to the disk in a minute, and how many addresses are counted each. */
  cacheDiskMinuteMaxBytes: 1024 * 1024,
  cacheDiskKeysMax: 100_000,
  limiterKeysMax: 1_000_000,
  verifierKeysMax: 10_000,
  replayAnswersMaxBytes: 16 * 1024 * 1024,
  /** How often the files of a certificate are looked at. */
  tlsLookMs: 10_000,
  /** Accounts of the embedded venue that its operator sees at once, and what one deposit of theirs may be. */
  practiceRowsMax: 1000,
  practiceFundMaxUsdc: 10_000_000,
  /** Clients of agents cut a longer result in the middle of a row, without a word. */
  toolResultMaxBytes: 60_000,
  /** Of these, what is kept for everything in a result that is not its rows. */
  toolResultFrameBytes: 4_000,
  /** The most of an unshaped payload in a result whose caller named no number of rows: less than 1,000 tokens. */
  toolPayloadDefaultBytes: 2_400,
  /** How long a tool that placed an order waits for its fill, and how often it looks. */
  orderWaitMaxMs: 3_000,
  orderLookEveryMs: 200,
  /** Rows of each history that a report of an account reads: pages, and rows a page. */
  reportPagesMax: 4,
  reportPageRows: 500,
} as const

/** The longest value read of each request header, in characters; more is invalid_request naming it. */
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

/** The same of every other header: those of agents are ids, keys, names and lists of markets. */
export const HEADER_OTHER_MAX_CHARS = 2048

/** Clamped list sizes of the named routes: a value that is no number is the fallback, otherwise floored and clamped. */
export const CLAMPS = {
  candles: { min: 1, max: 500, fallback: 100 },
  trades: { min: 1, max: 200, fallback: 50 },
  liquidations: { min: 1, max: 100, fallback: 20 },
  leaderboard: { min: 1, max: 200, fallback: 50 },
  whales: { min: 1, max: 200, fallback: 25 },
} as const

/** A GCRA policy: `requests` every `seconds`, of which `burst` at once. */
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

/**
 * How long an answer lives, in seconds: fresh, at most, while the venue answers; from there on it is served while it is
 * refreshed, and served when the venue fails.
 */
export type Lifetime = {
  readonly freshSeconds: number
  readonly staleWhileRevalidateSeconds: number
  readonly staleIfErrorSeconds: number
}

const STALE_IF_ERROR_MAX_SECONDS = 3600

/** A lifetime that only an outage outlives: ten times as long unless said otherwise, but at most an hour. */
export function lifetime(
  freshSeconds: number,
  staleIfErrorSeconds = Math.min(10 * freshSeconds, STALE_IF_ERROR_MAX_SECONDS),
): Lifetime {
  return { freshSeconds, staleWhileRevalidateSeconds: 0, staleIfErrorSeconds }
}
