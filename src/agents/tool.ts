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

/** The names of credentials and limits on this transport, for errors that ask to set one. */
export type Wording = {
  /** `x-account-id` over HTTP, `SERVICE_ACCOUNT_ID` over stdio. */
  readonly accountId: string
  readonly tradingKey: string
  readonly limit: (name: AgentLimitName) => string
}

/** The names a caller over HTTP knows: headers. */
export const HTTP_WORDING: Wording = {
  accountId: 'x-account-id',
  tradingKey: 'x-trading-key',
  limit: limitHeader,
}

/** The names a caller over stdio knows: environment variables. */
export const STDIO_WORDING: Wording = {
  accountId: 'SERVICE_ACCOUNT_ID',
  tradingKey: 'SERVICE_TRADING_KEY',
  limit: (name) => `SERVICE_${name}`,
}

/** One line about a write, without secrets: time, tool, symbol, side, size, client_order_id, code, shortened account. */
export type AuditLine = Readonly<Record<string, string | number | boolean | null>>

/**
 * Counts a wait of one caller, of at most `waitMs`; answers how to end it. Throws rate_limited above the maximum number
 * of waits.
 */
export type BeginWait = (waitMs: number) => () => void

/** `sleep` settles after `ms` or with the signal; `deadline` aborts after `ms`. */
export type Timers = {
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly deadline: (ms: number) => AbortSignal
}

/** Digests, ids and status of orders, each claimed once, durably, by every process that shares them. */
export type SentOrders = Pick<Store['once'], 'claim' | 'release' | 'find' | 'settle'>

/** A call on a transport that stays open while it runs. */
export type OpenCall = {
  /** Aborts when the client cancels the call. */
  readonly cancelled: AbortSignal
  /** Aborts when the client sends nothing more. */
  readonly inputEnded: AbortSignal
  /** Sends progress, which has to rise; null where the client has not asked for it. */
  readonly progress: ((done: number, total: number, message: string) => Promise<void>) | null
}

/** The record of an agent's writes. */
export type WriteJournal = {
  /**
   * Records a write before it is sent, and answers a function that records its outcome and never throws. Throws Failure
   * store_unavailable if the write cannot be recorded.
   */
  readonly begin: (write: BegunWrite) => Promise<(outcome: string) => Promise<void>>
}

/** The funding of 24 hours by account and key, as an amount, with the venue's time of its read. */
export type FundingTotals = BoundedMap<string, { readonly atMs: number; readonly total: bigint }>

/** The surroundings of a tool call. `credentials` are null for a caller without credentials. */
export type ToolContext = {
  readonly client: AgentClient
  readonly credentials: Credentials | null
  /** The limits that the person behind the model has set, and those of the operator of the service. */
  readonly limits: Limits
  readonly operatorLimits: Limits
  readonly wording: Wording
  /** Where the service serves its trading page, such as `https://perps.example`; null where no such page is known. */
  readonly pageOrigin: string | null
  readonly clock: Clock
  /** The venue's time: a virtual clock's as of the last answer, else the same as `clock`. */
  readonly venueClock: Clock
  readonly random: Random
  readonly audit: (line: AuditLine) => void
  readonly journal: WriteJournal
  /** Whether a practice venue answers, as far as its answers have shown. */
  readonly isPractice: () => boolean
  /** Orders that were sent within a day. */
  readonly sentOrders: SentOrders
  /** Counts a wait of this caller. */
  readonly beginWait: BeginWait
  readonly timers: Timers
  /** Whether the venue's time is virtual and this account alone lets it pass. */
  readonly ownsClock: boolean
  /** Absent where a call is one request and one answer, as over HTTP. */
  readonly openCall?: OpenCall
  /** The limits used by orders, in every process and instance that shares this store. */
  readonly spending: SpendingStore
  /** The funding of accounts, as it was read last. */
  readonly fundingTotals: FundingTotals
}

/** MCP's hints to a client about the effects of a tool; hints that a tool's kind implies are left out. */
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
  /** Answers the value whose JSON is the one text part. Throws ToolFailure. A tool reads its own arguments. */
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

/** Closer next steps than a code alone can give, by code. */
export type Hints = Readonly<Partial<Record<FailureCode, string>>>

/** A context whose caller gave credentials. */
export type SignedContext = ToolContext & {
  readonly credentials: Credentials
  /** Closer next steps that the tool has for failures. */
  readonly hints?: Hints
}
