import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace'
import type { Meter } from '../../core/observing/meter.ts'
import type { Log } from '../../core/ports.ts'
import { type TraceSettings, tracesUrl } from '../../settings/traces.ts'
import { TRACING } from '../../spec/operator/tracing.ts'

export type QueueParts = { readonly meter: Meter; readonly log: Log }

/**
 * Spans on their way to a collector, in batches. No request waits for one: what finds no room is dropped, and what
 * became of each is counted. The collector's failures leave one line until it is back.
 */
export function createSpanQueue(
  { collector, headers }: Pick<TraceSettings, 'collector' | 'headers'>,
  { meter, log }: QueueParts,
): SpanProcessor {
  const { counter } = meter
  let waiting = 0
  let isFailing = false

  function exported(spans: number, isTaken: boolean): void {
    counter('prepd_trace_spans_total', isTaken ? 'exported' : 'failed').add(spans)
    if (isTaken && isFailing) log.info('traces_recovered')
    if (!isTaken && !isFailing) log.warn('traces_failed', { spans })
    isFailing = !isTaken
  }

  const exporter = watched(
    new OTLPTraceExporter({
      url: tracesUrl(collector),
      headers,
      timeoutMillis: TRACING.exportDeadlineMs,
    }),
    {
      begun: (spans) => {
        waiting -= spans
      },
      ended: exported,
    },
  )
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: TRACING.queuedSpansMax,
    maxExportBatchSize: TRACING.batchSpansMax,
    scheduledDelayMillis: TRACING.batchDelayMs,
    exportTimeoutMillis: 2 * TRACING.exportDeadlineMs,
  })
  return {
    onStart: () => undefined,
    onEnd: (span: ReadableSpan) => {
      if (waiting >= TRACING.queuedSpansMax) {
        counter('prepd_trace_spans_total', 'dropped').add()
        return
      }
      waiting += 1
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }
}

type Watch = {
  readonly begun: (spans: number) => void
  readonly ended: (spans: number, isTaken: boolean) => void
}

/** ExportResultCode.SUCCESS of the exporter's package. */
const TAKEN = 0

/** An exporter that tells when it begins with spans, and how it ended with them. */
function watched(exporter: SpanExporter, { begun, ended }: Watch): SpanExporter {
  return {
    export: (spans, done) => {
      begun(spans.length)
      exporter.export(spans, (result) => {
        ended(spans.length, result.code === TAKEN)
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}
