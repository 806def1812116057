import type { MandateStore } from './mandate.ts'
import type { StandbyStore } from './standby.ts'

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
  /** Whether lines at `debug` are written, for callers that log each call; absent: they may be. */
  readonly isDebug?: () => boolean
}

/** What every part of this process gets from the world; tests bring their own. */
export type World = {
  readonly clock: Clock
  /** Milliseconds since some moment of this process: no hand at the wall clock moves them. */
  readonly monotonicMs: () => number
  readonly random: Random
  readonly log: Log
  /** How many lines the log has lost; absent where it cannot lose any. */
  readonly lostLines?: () => number
  /** Whether the environment names a proxy that may stand before a URL; absent where it names none. */
  readonly proxied?: (url: URL) => boolean
  /** Starts the embedded venue's thread; absent where the venue runs in this one. */
  readonly startVenueThread?: () => Worker
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
  /** `write` calls use connections on which nothing is sent again, and slots that reads cannot take. */
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

/** Why a call to the venue had no usable answer. */
// biome-ignore format: read as a list
export const UPSTREAM_FAULTS = [
  'unreachable', 'timeout', 'reset', 'redirect', 'oversized', 'content_type', 'saturated',
] as const

export type UpstreamFault = (typeof UPSTREAM_FAULTS)[number]

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

/** One cached answer: the scrubbed bytes and when they were fetched, by the clock of the instance that fetched them. */
export type StoredResponse = {
  readonly bytes: Uint8Array
  readonly fetchedAtMs: number
  /** How far that clock is ahead of this instance's; absent where it is the same clock. */
  readonly aheadMs?: number
}

/** What is known of a kept answer without reading it. */
export type KeptResponse = {
  readonly key: string
  readonly sizeBytes: number
  readonly fetchedAtMs: number
}

/** Something that may be done once. */
export type Claim = {
  readonly identity: string
  /** The earliest moment at which it can have been claimed before, such as when it was signed. */
  readonly sinceMs: number
  readonly expiresAtMs: number
  /** Text that is kept with the claim; it holds no secret. Absent is null. */
  readonly record?: string | null
}

/** A claim that was made, as it is kept. */
export type MadeClaim = { readonly expiresAtMs: number; readonly record: string | null }

/** What an operator has set while prepd ran: `kind` and `key` say what, `value` is text of the kind's own form. */
export type Control = { readonly kind: string; readonly key: string; readonly value: string }

export type ControlChange = Omit<Control, 'value'> & { readonly value: string | null }

/** What an operator did. `fields` is what was asked, which holds no secret; `fingerprint` is of the key that was borne. */
export type AuditedAct = {
  readonly id: number
  readonly atMs: number
  readonly act: string
  readonly fields: Readonly<Record<string, string>>
  readonly fingerprint: string
}

/** Some rows of a kind, and how many there are. */
export type Listing<Row> = { readonly count: number; readonly rows: readonly Row[] }

/**
 * Everything that must outlive the process. What is awaited may be far away; windows are at hand.
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
    /** The unspent ones, those that live longest first. */
    readonly list: (
      rowsMax: number,
    ) => Promise<Listing<{ readonly nonce: string; readonly expiresAtMs: number }>>
    /** Forgets them all; answers how many there were. */
    readonly purge: () => Promise<number>
  }
  readonly once: {
    /**
     * Claims an identity once until it expires. False when it is already claimed, or when claims were lost since it
     * can have been. A claim is on the disk before its promise is kept: it outlives this process and the power.
     */
    readonly claim: (claim: Claim, nowMs: number) => Promise<boolean>
    /** Gives an identity back. Where that fails it stays claimed until it expires. */
    readonly release: (identity: string) => Promise<void>
    /** What is claimed, the newest first. */
    readonly list: (rowsMax: number) => Promise<Listing<Pick<Claim, 'identity' | 'expiresAtMs'>>>
    /** The claim of an identity; null when there is none. */
    readonly find: (identity: string) => Promise<MadeClaim | null>
    /** Replaces the record of a claim, by any instance. Where that fails the former record stays. */
    readonly settle: (identity: string, record: string) => Promise<void>
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
    /** The kept ones whose keys begin so, the newest first. */
    readonly list: (prefix: string, rowsMax: number) => Promise<Listing<KeptResponse>>
  }
  readonly controls: {
    readonly load: () => Promise<readonly Control[]>
    /** Records an act, and changes what it changes: both or neither. Durable when its promise is kept. */
    readonly commit: (
      entry: Omit<AuditedAct, 'id'>,
      changes: readonly ControlChange[],
    ) => Promise<void>
    /** The newest first. */
    readonly audit: (rowsMax: number) => Promise<readonly AuditedAct[]>
    /** Calls back whenever another instance may have changed something. */
    readonly watch: (changed: () => void) => void
  }
  /** One standby cancel for each pair of account and key, of which all instances know. */
  readonly standbys: StandbyStore
  /** The limits that wallets have signed for their accounts. */
  readonly mandates: MandateStore
  /** What is held, for the operator. */
  readonly stats: StoreStats
  /** Writes as a claim does, and answers what stands in the way of it, or what was found damaged; null for nothing. */
  readonly check: () => Promise<string | null>
  /** Deletes what has expired, at most `rowsMax` rows of each kind; answers how many went. */
  readonly sweep: (nowMs: number, rowsMax: number) => Promise<number>
  readonly close: () => void
}

/** Figures of the store, each read when it is asked for; rows are counted up to a bound. Null where none is at hand. */
export type StoreStats = {
  readonly proofs: () => number | null
  readonly claims: () => number | null
  readonly bytes: () => number | null
  readonly walBytes: () => number | null
}

export type EntityChange = {
  readonly kind: string
  readonly key: string
  readonly json: string | null
}

/** Entities of the embedded venue: JSON by kind and key. A commit is one transaction. */
export type EntityStore = {
  /** Every kind of which there is an entity. */
  readonly kinds: () => readonly string[]
  /** In the order of their keys; read a page of rows at a time, for large ones of fewer rows. */
  readonly load: (
    kind: string,
    pageRows?: number,
  ) => Iterable<{ readonly key: string; readonly json: string }>
  readonly commit: (changes: readonly EntityChange[]) => void
}
