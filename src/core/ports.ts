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
export type World = {
  readonly clock: Clock
  /** Milliseconds since some moment of this process: no hand at the wall clock moves them. */
  readonly monotonicMs: () => number
  readonly random: Random
  readonly log: Log
}

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

/** Something that may be done once. */
export type Claim = {
  readonly identity: string
  /** The earliest moment at which it can have been claimed before, such as when it was signed. */
  readonly sinceMs: number
  readonly expiresAtMs: number
}

/**
 * Everything that must outlive the process. What is awaited may be far away; windows and entities are at hand.
 * Throws Failure `store_unavailable` where a record can be neither kept nor read: nothing has changed then.
 */
export type Store = {
  readonly nonces: {
    /** Remembers a registration nonce until `expiresAtMs`. */
    readonly issue: (nonce: string, expiresAtMs: number) => Promise<void>
    /** Spends a nonce once: true for the first caller before its expiry, false for everyone else. Then durable. */
    readonly burn: (nonce: string, nowMs: number) => Promise<boolean>
    /** Makes a burnt nonce spendable again, when nothing was done with it. Where that fails it stays burnt. */
    readonly release: (nonce: string, expiresAtMs: number) => Promise<void>
  }
  readonly once: {
    /**
     * Claims an identity once until it expires. False when it is already claimed, or when claims were lost since it
     * can have been. A claim is on the disk before its promise is kept: it outlives this process and the power.
     */
    readonly claim: (claim: Claim, nowMs: number) => Promise<boolean>
    /** Gives an identity back. Where that fails it stays claimed until it expires. */
    readonly release: (identity: string) => Promise<void>
  }
  readonly windows: {
    readonly load: (nowMs: number) => Iterable<StoredWindow>
    readonly save: (windows: readonly StoredWindow[]) => void
  }
  readonly proofs: {
    readonly has: (accountId: string, publicKey: string) => Promise<boolean>
    readonly add: (accountId: string, publicKey: string, nowMs: number) => Promise<void>
    readonly remove: (accountId: string, publicKey: string) => Promise<void>
  }
  readonly responses: {
    readonly get: (key: string) => Promise<StoredResponse | null>
    readonly put: (key: string, response: StoredResponse, expiresAtMs: number) => Promise<void>
    readonly clear: () => Promise<void>
  }
  /** Entities of the embedded venue: JSON by kind and key. A commit is one transaction. */
  readonly entities: EntityStore
  /** Writes as a claim does, and answers what stands in the way of it, or what was found damaged; null for nothing. */
  readonly check: () => Promise<string | null>
  /** Deletes what has expired, at most `rowsMax` rows of each kind; answers how many went. */
  readonly sweep: (nowMs: number, rowsMax: number) => number
  readonly close: () => void
}

export type EntityChange = {
  readonly kind: string
  readonly key: string
  readonly json: string | null
}

export type EntityStore = {
  /** Every kind of which there is an entity. */
  readonly kinds: () => readonly string[]
  readonly load: (kind: string) => Iterable<{ readonly key: string; readonly json: string }>
  readonly commit: (changes: readonly EntityChange[]) => void
}
