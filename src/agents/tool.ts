import type { TObject } from '@sinclair/typebox'
import { type AgentLimitName, limitHeader } from '../contract/agent-limits.ts'
import type { FailureCode } from '../contract/failures.ts'
import type { BegunWrite } from '../core/agent-journal.ts'
import type { BoundedMap } from '../core/bounded-map.ts'
import type { Limits } from '../core/mandate.ts'
import type { Clock, Random, Store } from '../core/ports.ts'
import type { SpendingStore } from '../core/spending.ts'
import type { Credentials } from './client/client.ts'
import type { AgentClient } from './client/narrow.ts'

/** The transport's names of credentials and limits, for error texts. */
export type Wording = {
  /** `x-account-id` over HTTP, `SERVICE_ACCOUNT_ID` over stdio. */
  readonly accountId: string
  readonly tradingKey: string
  readonly limit: (name: AgentLimitName) => string
}

/** The names for HTTP callers: headers. */
export const HTTP_WORDING: Wording = {
  accountId: 'x-account-id',
  tradingKey: 'x-trading-key',
  limit: limitHeader,
}

/** The names for stdio callers: environment variables. */
export const STDIO_WORDING: Wording = {
  accountId: 'SERVICE_ACCOUNT_ID',
  tradingKey: 'SERVICE_TRADING_KEY',
  limit: (name) => `SERVICE_${name}`,
}

/** The audit line of a write, without secrets: time, tool, symbol, side, size, client_order_id, code, shortened account. */
export type AuditLine = Readonly<Record<string, string | number | boolean | null>>

/** Counts a caller's wait of at most `waitMs`; returns a function that ends it. Throws rate_limited above the maximum. */
export type BeginWait = (waitMs: number) => () => void

/** `sleep` resolves after `ms` or when the signal aborts; `deadline` returns a signal that aborts after `ms`. */
export type Timers = {
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly deadline: (ms: number) => AbortSignal
}

/** The durable claims of sent orders (digest, status, order id), shared by all processes with this store. */
export type SentOrders = Pick<Store['once'], 'claim' | 'release' | 'find' | 'settle'>

/** The open connection of a call, on a transport that can send progress while the call runs. */
export type OpenCall = {
  /** Aborts when the client cancels the call. */
  readonly cancelled: AbortSignal
  /** Aborts when the client closes its input. */
  readonly inputEnded: AbortSignal
  /** Sends progress; `done` must increase. Null if the client did not ask for progress. */
  readonly progress: ((done: number, total: number, message: string) => Promise<void>) | null
}

/** The journal of an agent's writes. */
export type WriteJournal = {
  /**
   * Records a write before it is sent. Returns a function that records its outcome and never throws. Throws Failure
   * store_unavailable if the write cannot be recorded.
   */
  readonly begin: (write: BegunWrite) => Promise<(outcome: string) => Promise<void>>
}

/** The 24-hour funding per account and key, as an amount, with the venue time of the read. */
export type FundingTotals = BoundedMap<string, { readonly atMs: number; readonly total: bigint }>

/** Everything that a tool call depends on. `credentials` are null for a caller without credentials. */
export type ToolContext = {
  readonly client: AgentClient
  readonly credentials: Credentials | null
  /** The limits that the agent's user has set; `operatorLimits` are the limits of the service's operator. */
  readonly limits: Limits
  readonly operatorLimits: Limits
  readonly wording: Wording
  /** The origin of the service's trading page, such as `https://perps.example`; null if unknown. */
  readonly pageOrigin: string | null
  readonly clock: Clock
  /** The venue's time: for a virtual clock, the time in the last answer; otherwise the same as `clock`. */
  readonly venueClock: Clock
  readonly random: Random
  readonly audit: (line: AuditLine) => void
  readonly journal: WriteJournal
  /** Whether the last answer came from a practice venue. */
  readonly isPractice: () => boolean
  /** The orders sent within the last day. */
  readonly sentOrders: SentOrders
  readonly beginWait: BeginWait
  readonly timers: Timers
  /** Whether the venue's time is virtual and only this account advances it. */
  readonly ownsClock: boolean
  /** Absent on HTTP, where a call has one request and one answer. */
  readonly openCall?: OpenCall
  /** The use of limits by orders, counted across all processes and instances with this store. */
  readonly spending: SpendingStore
  /** The last 24-hour funding read per account and key. */
  readonly fundingTotals: FundingTotals
}

/** MCP hints to clients about a tool's effects. The optional hints are left out for tools that only read. */
type ToolAnnotations = {
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
}

/** One tool: its listing and its function. */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: TObject
  readonly annotations: ToolAnnotations
  readonly needsCredentials: boolean
  /**
   * Parses the arguments and runs the tool. The returned value becomes the JSON of the result's text part. Throws
   * ToolFailure.
   */
  readonly run: (context: ToolContext, args: Readonly<Record<string, unknown>>) => Promise<unknown>
}

/** The failure of a tool call: `{error, code, retryable, meta}`; `meta` holds the next step. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly code: string
  readonly retryable: boolean
  readonly meta: Readonly<Record<string, unknown>>
  constructor(parts: {
    readonly error: string
    readonly code: string
    readonly retryable?: boolean
    readonly meta?: Readonly<Record<string, unknown>>
  }) {
    super(parts.error)
    this.code = parts.code
    this.retryable = parts.retryable ?? false
    this.meta = parts.meta ?? {}
  }
}

/** More specific next steps per failure code. */
export type Hints = Readonly<Partial<Record<FailureCode, string>>>

/** A tool context whose caller gave credentials. */
export type SignedContext = ToolContext & {
  readonly credentials: Credentials
  /** The tool's more specific next steps for failures. */
  readonly hints?: Hints
}
