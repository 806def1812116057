import { AsyncLocalStorage } from 'node:async_hooks'

/** What is told of a span: words and figures of ours, never what a caller sent. What is undefined is not told. */
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
