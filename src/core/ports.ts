/** What the world provides. Everything that reads time, chance, disk or network enters through one of these. */

/** Wall-clock time in integer milliseconds since the epoch. */
export type Clock = { readonly nowMs: () => number }

/** Unpredictable bytes: nonces, request ids, throw-away keys. */
export type Random = { readonly bytes: (length: number) => Uint8Array }

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** One JSON line an event. Fields never carry signatures, bodies, keys or tokens. */
export type Log = {
  readonly error: (event: string, fields?: LogFields) => void
  readonly warn: (event: string, fields?: LogFields) => void
  readonly info: (event: string, fields?: LogFields) => void
  readonly debug: (event: string, fields?: LogFields) => void
}

/** What every part of this process gets from the world; tests bring their own. */
export type World = { readonly clock: Clock; readonly random: Random; readonly log: Log }

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Which of the venue's two hosts answers a path. */
export type VenueHost = 'main' | 'vaults'

/** One call to the venue. `path` (with its query) and `body` are sent byte for byte. */
export type UpstreamRequest = {
  readonly host: VenueHost
  readonly method: Method
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** `write` calls use connections that are never resent on and slots that reads cannot take. */
  readonly lane: 'read' | 'write'
  /** How long the whole call may take, waiting for a slot included. A duration, not a time. */
  readonly deadlineMs: number
}

/** What came back, undecoded: `body` is the whole text, within the size limit. */
export type UpstreamResponse = {
  readonly status: number
  readonly contentType: string
  readonly retryAfterSeconds?: number
  readonly body: string
}

/** The trading venue, live over HTTP or embedded. Throws `UpstreamError` and nothing else. */
export type Upstream = { readonly send: (request: UpstreamRequest) => Promise<UpstreamResponse> }

export type UpstreamFault =
  | 'unreachable'
  | 'timeout'
  | 'reset'
  | 'redirect'
  | 'oversized'
  | 'content_type'
  | 'saturated'

/** A call without a usable answer. `sent` is false only when no byte of the request can have reached the venue. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly fault: UpstreamFault
  readonly sent: boolean
  constructor(fault: UpstreamFault, sent: boolean, options?: ErrorOptions) {
    super(`upstream ${fault}`, options)
    this.fault = fault
    this.sent = sent
  }
}

/** One stored rate window: `atMs` is the window's theoretical arrival time. */
export type StoredWindow = { readonly key: string; readonly atMs: number }

/** One cached answer: the scrubbed bytes and when they were fetched. */
export type StoredResponse = { readonly bytes: Uint8Array; readonly fetchedAtMs: number }

/** Everything that must outlive the process. Synchronous: SQLite in the same process, microseconds a call. */
export type Store = {
  readonly nonces: {
    /** Remembers a registration nonce until `expiresAtMs`. */
    readonly issue: (nonce: string, expiresAtMs: number) => void
    /** Spends a nonce once: true for the first caller before its expiry, false for everyone else. */
    readonly burn: (nonce: string, nowMs: number) => boolean
    /** Makes a burnt nonce spendable again, when nothing was done with it. */
    readonly release: (nonce: string, expiresAtMs: number) => void
  }
  readonly once: {
    /** Claims an identity once until `expiresAtMs`; false when it is already claimed. Durable before it returns. */
    readonly claim: (identity: string, expiresAtMs: number, nowMs: number) => boolean
    readonly release: (identity: string) => void
  }
  readonly windows: {
    readonly load: (nowMs: number) => Iterable<StoredWindow>
    readonly save: (windows: readonly StoredWindow[]) => void
  }
  readonly proofs: {
    readonly has: (accountId: string, publicKey: string) => boolean
    readonly add: (accountId: string, publicKey: string, nowMs: number) => void
    readonly remove: (accountId: string, publicKey: string) => void
  }
  readonly responses: {
    readonly get: (key: string) => StoredResponse | null
    readonly put: (key: string, response: StoredResponse, expiresAtMs: number) => void
  }
  /** Entities of the embedded venue: JSON by kind and key. A commit is one transaction. */
  readonly entities: EntityStore
  /** What is held, for the operator. */
  readonly stats: StoreStats
  /** Deletes what has expired, at most `rowsMax` rows of each kind; answers how many went. */
  readonly sweep: (nowMs: number, rowsMax: number) => number
  readonly close: () => void
}

/** Figures of the store, each read when it is asked for; rows are counted up to a bound. */
export type StoreStats = {
  readonly proofs: () => number
  readonly claims: () => number
  readonly bytes: () => number
  readonly walBytes: () => number
}

export type EntityChange = {
  readonly kind: string
  readonly key: string
  readonly json: string | null
}

export type EntityStore = {
  readonly load: (kind: string) => Iterable<{ readonly key: string; readonly json: string }>
  readonly commit: (changes: readonly EntityChange[]) => void
}
