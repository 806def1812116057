/** How spans go to the collector of traces. What does not fit waits for nobody: it is dropped, and counted. */
export const TRACING = {
  /** Spans that wait to be sent. */
  queuedSpansMax: 4096,
  /** Spans sent at once, and how long the first of them waits for the others. */
  batchSpansMax: 512,
  batchDelayMs: 2_000,
  /** How long a batch may take to be taken, attempts included. */
  exportDeadlineMs: 5_000,
  /** How long a stop waits for what is left to be taken. */
  flushDeadlineMs: 3_000,
} as const

/** How a span can end: taken by the collector, not taken by it, or not sent for want of room. */
export const SPAN_OUTCOMES = ['exported', 'failed', 'dropped'] as const
