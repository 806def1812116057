import { AsyncLocalStorage } from 'node:async_hooks'
import type { Log, LogFields } from '../ports.ts'

/** The context of a request to the public listener: data for all its log lines, or for the summary in its last line. */
export type RequestContext = {
  readonly id: string
  /** The rate windows' key of the caller. */
  readonly limitKey: string
  /** The caller's `traceparent` (W3C Trace Context), unchecked. It is parsed only when a log line needs it. */
  readonly traceparent: () => string | null
  /** The last result of the cache; null if it was not used. */
  cache: string | null
  /** Milliseconds spent in calls to the venue; null without a call. */
  venueMs: number | null
  /** The fault of the last failed call to the venue. */
  venueFault: string | null
  /** The last relayed call; null without such a call. */
  call: RelayedCall | null
}

/** A relayed call in an access line. */
export type RelayedCall = {
  readonly accountId: string
  readonly method: string
  /** The path in the allowlist, such as `/v1/order/{id}`; `unlisted` for a path outside it. */
  readonly path: string
  refusal: Refused | null
  /** Whether the answer repeats the answer to an earlier call with the same signature. Such a request is not sent. */
  replayed: boolean
}

/** A failure in an access line: its code, the parameter, and the expected value. */
export type Refused = {
  readonly code: string
  readonly parameter?: string
  readonly reason?: string
  readonly bound?: string
}

const requests = new AsyncLocalStorage<RequestContext>()

/** The context of a new request. */
export function createRequestContext(
  id: string,
  limitKey: string,
  traceparent: RequestContext['traceparent'],
): RequestContext {
  return { id, limitKey, traceparent, cache: null, venueMs: null, venueFault: null, call: null }
}

/** Runs a request's work in its context, which everything started by the work inherits. */
export function inRequest<Result>(request: RequestContext, work: () => Result): Result {
  return requests.run(request, work)
}

/** Runs work that outlives its request, such as a search for a server, outside any request's context. */
export function outsideRequest<Result>(work: () => Result): Result {
  return requests.exit(() => spans.exit(work))
}

/** The request of the running code; undefined outside a request. */
export function currentRequest(): RequestContext | undefined {
  return requests.getStore()
}

/** A log whose lines carry the id of their request. */
export function requestLog(log: Log): Log {
  const at =
    (write: Log['info']): Log['info'] =>
    (event, fields) =>
      write(event, withRequest(fields))
  return {
    ...log,
    error: at(log.error),
    warn: at(log.warn),
    info: at(log.info),
    debug: at(log.debug),
  }
}

function withRequest(fields: LogFields | undefined): LogFields | undefined {
  const request = currentRequest()
  return request ? { ...requestFields(request), ...fields } : fields
}

/**
 * The fields of every log line about a request: its id, and a traceparent, of the request's span or else from the
 * caller.
 */
export function requestFields({ id, traceparent: read }: RequestContext): LogFields {
  const traceparent = currentSpan()?.traceparent ?? read()
  return { request: id, ...(traceparent !== null && { traceparent }) }
}

/**
 * The attributes of a span: this service's names and figures, never a caller's input. Undefined attributes are omitted.
 */
export type SpanFields = Readonly<Record<string, string | number | undefined>>

/** A measured piece of work, for a trace collector. */
export type TraceSpan = {
  /** The position in the trace, as the header `traceparent` (W3C Trace Context, version 00). */
  readonly traceparent: string
  /** Begins a child span, such as a call to the venue; null once the parent has ended. */
  readonly part: (name: string, fields: SpanFields) => TraceSpan | null
  /** Ends the span with its failure; null for a success. */
  readonly end: (fields: SpanFields, failure: string | null) => void
}

const spans = new AsyncLocalStorage<TraceSpan>()

/** Runs work whose spans become children of this span. */
export function inSpan<Result>(span: TraceSpan, work: () => Result): Result {
  return spans.run(span, work)
}

/** The span of the running code; undefined without tracing. */
export function currentSpan(): TraceSpan | undefined {
  return spans.getStore()
}
