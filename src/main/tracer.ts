import {
  type Context,
  type HrTime,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { TRACING } from '../contract/operator/process.ts'
import { BUILD_FACTS } from '../core/build-facts.ts'
import { toHex } from '../core/hex.ts'
import { defaultOnFailure } from '../core/loop/guarded.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { SpanFields, TraceSpan } from '../core/observing/request-context.ts'
import type { Log, World } from '../core/ports.ts'
import { type TraceSettings, tracesUrl } from '../core/settings/traces.ts'

/** Begins the span of a request, in the trace of its `traceparent`, or in a new trace if that is null. */
export type Begin = (name: string, traceparent: string | null, fields: SpanFields) => TraceSpan

/** Milliseconds since the epoch, from a clock that is monotonic during a request. */
type Now = () => number

/** Opens a tracer that sends its spans to a collector. `close` sends the remaining spans, within the flush deadline. */
export function openTracer(
  settings: TraceSettings,
  world: World & QueueOptions,
): { readonly begin: Begin; readonly close: () => Promise<void> } {
  const { random, clock, monotonicMs } = world
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.version': BUILD_FACTS.version,
    }),
    idGenerator: {
      generateTraceId: () => toHex(random.bytes(16)),
      generateSpanId: () => toHex(random.bytes(8)),
    },
    spanProcessors: [createSpanQueue(settings, world)],
  })
  const tracer = provider.getTracer('prepd', BUILD_FACTS.version)
  return {
    begin: (name, traceparent, fields) => {
      const originMs = clock.nowMs() - monotonicMs()
      const now = () => originMs + monotonicMs()
      return started(
        { tracer, now, kind: SpanKind.SERVER },
        traceContext(traceparent),
        name,
        fields,
      )
    },
    close: async () => {
      const ended = provider.shutdown().catch(defaultOnFailure('process', undefined, Error))
      await Promise.race([ended, Bun.sleep(TRACING.flushDeadlineMs)])
    },
  }
}

type SpanTerms = { readonly tracer: Tracer; readonly now: Now; readonly kind: SpanKind }

function started(
  { tracer, now, kind }: SpanTerms,
  context: Context,
  name: string,
  fields: SpanFields,
): TraceSpan {
  const startTime = toHrTime(now())
  const span = tracer.startSpan(name, { kind, startTime, attributes: fields }, context)
  const { traceId, spanId, traceFlags } = span.spanContext()
  const own = trace.setSpan(context, span)
  let isOver = false
  return {
    traceparent: `00-${traceId}-${spanId}-0${traceFlags & SAMPLED}`,
    part: (part, partFields) =>
      isOver ? null : started({ tracer, now, kind: SpanKind.CLIENT }, own, part, partFields),
    end: (last, failure) => {
      isOver = true
      for (const [key, value] of Object.entries(last)) {
        if (value !== undefined) span.setAttribute(key, value)
      }
      if (failure !== null) {
        span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end(toHrTime(now()))
    },
  }
}

const SAMPLED = 1

/** The context of a `traceparent`. A trace that the caller does not sample stays unrecorded. */
function traceContext(traceparent: string | null): Context {
  if (traceparent === null) return ROOT_CONTEXT
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-')
  const traceFlags = Number.parseInt(flags, 16) & SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

/** Whole seconds, and the remaining nanoseconds. */
function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.floor((ms - seconds * 1000) * 1e6)]
}

type QueueOptions = { readonly meter: Meter; readonly log: Log }

/**
 * A queue of spans that are sent to a collector in batches. Requests never wait: spans without room are dropped, and
 * every outcome is counted. An outage of the collector gives one log line.
 */
function createSpanQueue(
  { collector, headers }: Pick<TraceSettings, 'collector' | 'headers'>,
  { meter, log }: QueueOptions,
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

/** An exporter that reports the start and the outcome of each export. */
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
