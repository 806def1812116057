import { AsyncLocalStorage } from 'node:async_hooks'
import type { Log, LogFields } from '../ports.ts'

/** One request of the public listener: what all its lines say, and what its last one sums up. */
export type RequestContext = {
  readonly id: string
  /** The caller's address as the rate windows count it. */
  readonly limitKey: string
  /** The caller's `traceparent` (W3C Trace Context), as it came: read where a line is written, which few requests need. */
  readonly traceparent: () => string | null
  /** How the cache answered last; null where it was not asked. */
  cache: string | null
  /** Milliseconds spent in calls to the venue; null where there was none. */
  venueMs: number | null
  /** Why the last call to the venue that failed had no usable answer. */
  venueFault: string | null
  /** The last relayed call; null where there was none. */
  call: RelayedCall | null
}

/** A relayed call as an access line names it. */
export type RelayedCall = {
  readonly accountId: string
  readonly method: string
  /** The row of the allowlist, such as `/v1/order/{id}`; `unlisted` for what is not relayed. */
  readonly path: string
  refusal: Refused | null
  /** Whether the answer is that of an earlier call with the same signature: nothing was sent. */
  replayed: boolean
}

/** A failure as an access line names it: its code, the parameter it is about, and what that may be. */
export type Refused = {
  readonly code: string
  readonly parameter?: string
  readonly reason?: string
  readonly bound?: string
}

const requests = new AsyncLocalStorage<RequestContext>()

/** The context of a request that has just begun. */
export function createRequestContext(
  id: string,
  limitKey: string,
  traceparent: RequestContext['traceparent'],
): RequestContext {
  return { id, limitKey, traceparent, cache: null, venueMs: null, venueFault: null, call: null }
}

/** Runs the work of one request: whatever it starts has its context. */
export function inRequest<Result>(request: RequestContext, work: () => Result): Result {
  return requests.run(request, work)
}

/** Runs work that outlives the request that started it, such as a search for a server: it has the context of no request. */
export function outsideRequest<Result>(work: () => Result): Result {
  return requests.exit(() => spans.exit(work))
}

/** The request that the running code works for; undefined where there is none. */
export function currentRequest(): RequestContext | undefined {
  return requests.getStore()
}

/** A log whose lines name the request that they belong to. */
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

/** The fields of every line about a request: its id, and its place in its trace or else in its caller's. */
export function requestFields({ id, traceparent: read }: RequestContext): LogFields {
  const traceparent = currentSpan()?.traceparent ?? read()
  return { request: id, ...(traceparent !== null && { traceparent }) }
}

/** The attributes of a span: names and figures of ours, never what a caller sent. Undefined ones are left out. */
export type SpanFields = Readonly<Record<string, string | number | undefined>>

/** One piece of work, measured for a collector of traces. */
export type Span = {
  /** Its place in its trace, as the header of that name (W3C Trace Context, version 00). */
  readonly traceparent: string
  /** Begins a part of it, such as a call to the venue; null once it has ended itself. */
  readonly part: (name: string, fields: SpanFields) => Span | null
  /** Ends it, with the failure that it ended in; null for none. */
  readonly end: (fields: SpanFields, failure: string | null) => void
}

const spans = new AsyncLocalStorage<Span>()

/** Runs work whose parts belong to a span, whatever it starts. */
export function inSpan<Result>(span: Span, work: () => Result): Result {
  return spans.run(span, work)
}

/** The span that the running code works for; undefined where nothing is traced. */
export function currentSpan(): Span | undefined {
  return spans.getStore()
}
