import type { Method } from '../contract/allowlist.ts'
import type { AuditedAct } from '../contract/console/figures.ts'
import type { LogEvent } from '../contract/operator/log-events.ts'
import type { AgentJournal } from './agent-journal.ts'
import type { ApprovalStore } from './approval.ts'
import type { ClaimStore } from './claim.ts'
import type { MandateStore } from './mandate.ts'
import type { SpendingStore } from './spending.ts'
import type { StandbyStore } from './standby.ts'
import type { TrafficStore } from './traffic.ts'
import type { WebhookStore } from './webhook.ts'

/** The ports of this process follow: time, random numbers, disk and network enter only through these types. */

/** Wall-clock time in integer milliseconds since the epoch. */
export type Clock = { readonly nowMs: () => number }

/** Unpredictable bytes, for nonces, request ids and throw-away keys. */
export type Random = { readonly bytes: (length: number) => Uint8Array }

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** A log with one JSON line per event. Fields never contain signatures, bodies, keys or tokens. */
export type Log = {
  readonly error: (event: LogEvent, fields?: LogFields) => void
  readonly warn: (event: LogEvent, fields?: LogFields) => void
  readonly info: (event: LogEvent, fields?: LogFields) => void
  readonly debug: (event: LogEvent, fields?: LogFields) => void
  /** Whether lines of a level are written, for callers that log each call. Absent means true. */
  readonly isWritten?: (level: 'error' | 'warn' | 'info' | 'debug') => boolean
}

/** The clock, random numbers, log and environment that all parts share; tests pass their own. */
export type World = {
  readonly clock: Clock
  /** Milliseconds of a monotonic clock, unaffected by changes of the wall clock. */
  readonly monotonicMs: () => number
  readonly random: Random
  readonly log: Log
  /** The number of lines that the log dropped. Absent for a log that keeps all lines. */
  readonly lostLines?: () => number
  /** Whether the environment's proxy settings apply to a URL. Absent without such settings. */
  readonly proxied?: (url: URL) => boolean
  /** Runs an operator command in a separate process with this process's settings; absent if that is impossible. */
  readonly runCommand?: RunCommand
  /** Starts the embedded venue's thread. Absent when the venue runs in the gateway's thread. */
  readonly startVenueThread?: () => Worker
}

/** The exit code and the output of a process. */
export type ProcessResult = { readonly exitCode: number; readonly stdout: string }

/** Runs a command, such as `backups make`, with a text as its input, until it ends or the signal aborts it. */
export type RunCommand = (
  words: readonly string[],
  signal: AbortSignal,
  input?: string,
) => Promise<ProcessResult>

/** The venue's host that answers a path. */
export type VenueHost = 'main' | 'vaults'

/** One call to the venue. `path` (with its query) and `body` are sent byte for byte. */
export type UpstreamRequest = {
  readonly host: VenueHost
  readonly method: Method
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Calls in `write` use connections without automatic resends, and slots reserved for writes. */
  readonly lane: 'read' | 'write'
  /** A write that only cancels or reduces. Such a write may also use the reserved slots. */
  readonly isReducing?: boolean
  /**
   * The owner whose share of the slots the call uses: an account, or a caller with an unproven key. Absent: the
   * service's own call.
   */
  readonly owner?: string
  /** Maximum duration of the whole call, including the wait for a slot. */
  readonly deadlineMs: number
}

/** The venue's answer, not parsed: `body` is the complete text, within the size limit. */
export type UpstreamResponse = {
  readonly status: number
  readonly contentType: string
  readonly retryAfterSeconds?: number
  readonly body: string
}

/** The trading venue, live over HTTP or embedded. Throws `UpstreamError` and nothing else. */
export type Upstream = { readonly send: (request: UpstreamRequest) => Promise<UpstreamResponse> }

/** The reasons why a call to the venue has no usable answer. */
// biome-ignore format: read as a list
export const UPSTREAM_FAULTS = [
  'unreachable', 'timeout', 'reset', 'redirect', 'oversized', 'content_type', 'saturated',
] as const

export type UpstreamFault = (typeof UPSTREAM_FAULTS)[number]

/** A call without a usable answer. `sent` is false only if no byte of the request can have reached the venue. */
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

/** One cached answer: the scrubbed bytes and the time of the fetch, by the clock of the fetching instance. */
export type StoredResponse = {
  readonly bytes: Uint8Array
  readonly fetchedAtMs: number
  /** How far the fetching instance's clock is ahead of this instance's clock. Absent: the same clock. */
  readonly aheadMs?: number
}

/** The metadata of a cached answer. */
export type KeptResponse = {
  readonly key: string
  readonly sizeBytes: number
  readonly fetchedAtMs: number
}

/** A runtime setting of the operator. `kind` and `key` identify it; the kind defines the format of `value`. */
export type Control = { readonly kind: string; readonly key: string; readonly value: string }

export type ControlChange = Omit<Control, 'value'> & { readonly value: string | null }

/** The first rows of a list. `count` is the length of the whole list. */
export type Listing<Row> = { readonly count: number; readonly rows: readonly Row[] }

/**
 * The state that outlives the process. Calls that return a promise may use the network. Throws Failure
 * `store_unavailable` without any change if a record cannot be written or read.
 *
 * Exception: the disk fails to sync a change that was to be durable. If the store can still be written, it takes back
 * claims, reservations, used nonces, changed controls and outcomes of standbys. Other changes may remain, with entries
 * of the audit log.
 */
export type Store = {
  readonly nonces: {
    /** Remembers a registration nonce until `expiresAtMs`. */
    readonly issue: (nonce: string, expiresAtMs: number) => Promise<void>
    /** Spends a nonce durably: true for the first caller before its expiry, false for all others. */
    readonly burn: (nonce: string, nowMs: number) => Promise<boolean>
    /** Makes a spent but unused nonce valid again. If the write fails, the nonce stays spent. */
    readonly release: (nonce: string, expiresAtMs: number) => Promise<void>
    /** The unspent nonces, latest expiry first. */
    readonly list: (
      rowsMax: number,
    ) => Promise<Listing<{ readonly nonce: string; readonly expiresAtMs: number }>>
    /** Deletes all nonces. Returns their number. */
    readonly purge: () => Promise<number>
  }
  readonly once: ClaimStore
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
    /** Cached answers whose keys have a prefix, newest first. */
    readonly list: (prefix: string, rowsMax: number) => Promise<Listing<KeptResponse>>
  }
  readonly controls: {
    readonly load: () => Promise<readonly Control[]>
    /** Stores an action and its changes in one transaction. Durable when the promise resolves. */
    readonly commit: (
      entry: Omit<AuditedAct, 'id'>,
      changes: readonly ControlChange[],
    ) => Promise<void>
    /** The latest actions, newest first. */
    readonly audit: (rowsMax: number) => Promise<readonly AuditedAct[]>
    /** Calls `changed` whenever another instance may have changed a control. */
    readonly watch: (changed: () => void) => void
  }
  /** Standby cancels, one per pair of account and key, shared by all instances. */
  readonly standbys: StandbyStore
  /** The limits that wallets have signed for their accounts. */
  readonly mandates: MandateStore
  /** Writes that need the approval of their account's owner. */
  readonly approvals: ApprovalStore
  readonly webhooks: WebhookStore
  /** The use of limits by writes of limited accounts. */
  readonly spending: SpendingStore
  /** The journal of agents' writes, one chain for all instances. */
  readonly agentJournal: AgentJournal
  /** Traffic minutes of the last day, and the registered instances. */
  readonly traffic: TrafficStore
  /** Figures for the operator. */
  readonly stats: StoreStats
  /** Writes a test record like a claim. Returns the problem, such as a damaged file; null for a healthy store. */
  readonly check: () => Promise<string | null>
  /** Deletes expired rows, at most `rowsMax` of each kind. Returns their number. */
  readonly sweep: (nowMs: number, rowsMax: number) => Promise<number>
  readonly close: () => void
}

/** Figures of the store, read at each call; rows are counted up to a bound. Null for an unknown figure. */
export type StoreStats = {
  readonly proofs: () => number | null
  readonly claims: () => number | null
  readonly bytes: () => number | null
  readonly walBytes: () => number | null
  /** Duration of the last wait for the disk. Each signed write waits for the disk before it is sent. */
  readonly syncMs: () => number | null
}

export type EntityChange = {
  readonly kind: string
  readonly key: string
  readonly json: string | null
}

/** Entities of the embedded venue: JSON by kind and key. A commit is one transaction. */
export type EntityStore = {
  /** The kinds that have at least one entity. */
  readonly kinds: () => readonly string[]
  /** The entities of a kind by key, read in pages of `pageRows` rows. Use small pages for large entities. */
  readonly load: (
    kind: string,
    pageRows?: number,
  ) => Iterable<{ readonly key: string; readonly json: string }>
  readonly commit: (changes: readonly EntityChange[]) => void
}
