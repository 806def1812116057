import { LIMITS } from '../contract/limits.ts'
import { LOGGING } from '../contract/operator/process.ts'
import { Failure } from '../core/failure.ts'
import type { Lane, LaneLoad } from '../core/loop/lanes.ts'
import type { Histogram } from '../core/observing/histogram.ts'
import type { Meter } from '../core/observing/meter.ts'
import { currentRequest, currentSpan, type TraceSpan } from '../core/observing/request-context.ts'
import {
  type Clock,
  type Log,
  type LogFields,
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
  type VenueHost,
} from '../core/ports.ts'
import type { ShapeWatch } from './shape-watch.ts'
import { matchRelay } from './wire/allowlist.ts'
import { VENUE_CODES } from './wire/failures.ts'

type ObservationOptions = {
  readonly meter: Meter
  /** The clock that is compared with the times in the venue's answers. */
  readonly clock: Clock
  readonly log: Log
  /** Receives each call's duration and fault; the fault is null if the call succeeded. */
  readonly called: (tookMs: number, fault: string | null) => void
  /** Compares answers with their known shapes; null for a venue whose answers do not change. */
  readonly watch: Pick<ShapeWatch, 'answered'> | null
}

/**
 * Counts, times, traces and logs the calls of an upstream. Records contain the fault and where it occurred, never the
 * data that was sent. Repeated failures share a log line; at the level `debug` every call has a line.
 */
export function observedUpstream(upstream: Upstream, parts: ObservationOptions): Upstream {
  const { meter, called, watch } = parts
  const counts = createCounts(parts)
  const lines = createLines(parts)
  return {
    send: async (request) => {
      const span = beginSpan(request)
      const startedMs = meter.elapsedMs()
      try {
        const response = await upstream.send(request)
        const tookMs = meter.elapsedMs() - startedMs
        const { status } = response
        counts.answered(request, response, tookMs)
        lines.answered(request, status, noteVenueMs(tookMs))
        span?.end({ 'http.response.status_code': status }, status < 400 ? null : `http_${status}`)
        called(tookMs, status >= 500 ? 'status 5xx' : null)
        watch?.answered(request, response)
        return response
      } catch (error) {
        const tookMs = meter.elapsedMs() - startedMs
        const { fault, sent } = error instanceof UpstreamError ? error : UNEXPECTED
        counts.failed(request, fault, tookMs)
        lines.failed(request, fault, { sent, ms: noteVenueMs(tookMs) })
        span?.end({}, fault)
        called(tookMs, fault)
        throw error
      }
    },
  }
}

const UNEXPECTED = { fault: 'unexpected', sent: true } as const

/** Adds a call's duration to the current request. Returns the duration in whole milliseconds. */
function noteVenueMs(tookMs: number): number {
  const ms = Math.round(tookMs)
  const context = currentRequest()
  if (context) context.venueMs = (context.venueMs ?? 0) + ms
  return ms
}

/** Starts a span for a call within the request's trace; null if the request is not traced. */
function beginSpan(request: UpstreamRequest): TraceSpan | null {
  const parent = currentSpan()
  if (!parent) return null
  const { method, host, lane } = request
  const template = relayTemplate(request)
  return parent.part(template === undefined ? method : `${method} ${template}`, {
    'http.request.method': method,
    'url.template': template,
    'prepd.venue.host': host,
    'prepd.venue.lane': lane,
  })
}

/** The path's template in the allowlist, which contains neither ids nor markets; undefined for other paths. */
function relayTemplate({ method, path }: UpstreamRequest): string | undefined {
  try {
    return matchRelay(method, path).template
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/**
 * Number of leading characters of an answer that contain the venue's time and code. The data that follows may be long.
 */
const HEAD_CHARS = 256

/** Counts calls in metrics: durations, answers by status and code, faults, and the skew of the venue's clock. */
function createCounts({ meter, clock, log }: Pick<ObservationOptions, 'meter' | 'clock' | 'log'>) {
  const skew = createSkew({ meter, log })
  // Cached, since finding a series costs more than counting. There are only a few lanes and hosts.
  const times = { main: new Map<Lane, Histogram>(), vaults: new Map<Lane, Histogram>() }

  function callHistogram({ host, lane }: UpstreamRequest): Histogram {
    const known = times[host].get(lane)
    if (known) return known
    const made = meter.histogram('prepd_venue_call_duration_seconds', host, lane)
    times[host].set(lane, made)
    return made
  }

  return {
    answered: (request: UpstreamRequest, { status, body }: UpstreamResponse, tookMs: number) => {
      const head = body.slice(0, HEAD_CHARS)
      const stamp = /"timestamp":\s*(\d{13})\b/.exec(head)?.[1]
      // The best estimate from one answer is that the venue read its clock in the middle of the call.
      if (stamp) skew.note(Number(stamp), clock.nowMs() - tookMs / 2)
      const labels = [request.host, String(status), venueCode(status, head)] as const
      meter.counter('prepd_venue_answers_total', ...labels).add()
      callHistogram(request).observe(tookMs / 1000)
    },
    failed: (request: UpstreamRequest, fault: string, tookMs: number) => {
      meter.counter('prepd_venue_faults_total', request.host, request.lane, fault).add()
      callHistogram(request).observe(tookMs / 1000)
    },
  }
}

/**
 * Below this skew, a clock that was reported as skewed counts as correct again. The distance to the maximum avoids a
 * log line per call near the maximum.
 */
const SKEW_AGREES_MS = LIMITS.venueSkewMaxMs - 5_000

/** Reports how far the venue's clock is ahead: as a metric, and in the log when the skew passes its maximum. */
function createSkew({ meter, log }: Pick<ObservationOptions, 'meter' | 'log'>) {
  let skewMs: number | null = null
  let isOff = false
  meter.reading('prepd_venue_clock_skew_seconds', () => skewMs && skewMs / 1000)

  return {
    note: (venueMs: number, ownMs: number) => {
      const wasOff = isOff
      skewMs = venueMs - ownMs
      isOff = Math.abs(skewMs) > (wasOff ? SKEW_AGREES_MS : LIMITS.venueSkewMaxMs)
      if (wasOff === isOff) return
      const times = { venue: toTimeText(venueMs), own: toTimeText(ownMs) }
      const fields = { skewMs: Math.round(skewMs), ...times }
      if (wasOff) log.info('venue_clock_agrees', fields)
      else log.warn('venue_clock_skew', fields)
    },
  }
}

function toTimeText(ms: number): string {
  return new Date(ms).toISOString()
}

function venueCode(status: number, head: string): string {
  if (status < 300 && !/"success":\s*false|"s":\s*"error"/.test(head)) return 'none'
  const code = /"code":\s*"?([-\w]{1,40})/.exec(head)?.[1] ?? 'none'
  return code === 'none' || VENUE_CODES.has(code) ? code : 'other'
}

/** Registers metrics of the calls in progress and of the calls that wait, per lane. */
export function readLanes(meter: Meter, load: (lane: Lane) => LaneLoad): void {
  for (const lane of ['read', 'write'] as const) {
    meter.reading('prepd_venue_slots_in_use', () => load(lane).inFlight, lane)
    meter.reading('prepd_venue_queued', () => load(lane).queued, lane)
  }
}

/** Logs calls: the first failure of each kind at once, its repeats as a count, and the end of an outage. */
function createLines({ log, meter: { elapsedMs } }: Pick<ObservationOptions, 'log' | 'meter'>) {
  const folded = createLogDeduplicator(elapsedMs)
  const outages = new Map<VenueHost, { readonly sinceMs: number; failures: number }>()

  function failed(
    request: UpstreamRequest,
    fault: string,
    { sent, ms }: { readonly sent: boolean; readonly ms: number },
  ): void {
    const { host } = request
    const context = currentRequest()
    if (context) context.venueFault = fault
    const outage = outages.get(host) ?? { sinceMs: elapsedMs(), failures: 0 }
    outage.failures += 1
    outages.set(host, outage)
    folded(`${host} ${fault}`, (more) =>
      log.warn('upstream_failed', { ...callFields(request), fault, sent, ms, ...more }),
    )
  }

  function recovered(host: VenueHost): void {
    const outage = outages.get(host)
    if (!outage) return
    const { failures, sinceMs } = outage
    const seconds = Math.round((elapsedMs() - sinceMs) / 1000)
    // Alternating failures and successes are logged as one outage.
    const isWritten = folded(`${host} over`, () =>
      log.info('upstream_recovered', { host, failures, seconds }),
    )
    if (isWritten) outages.delete(host)
  }

  return {
    failed,
    answered: (request: UpstreamRequest, status: number, ms: number) => {
      const { host } = request
      if (log.isWritten?.('debug') ?? true)
        log.debug('upstream_call', { ...callFields(request), status, ms })
      if (status === 429 || status >= 500) failed(request, `http_${status}`, { sent: true, ms })
      else recovered(host)
      if (ms > LOGGING.slowCallMs)
        folded(`${host} slow`, (more) =>
          log.warn('upstream_slow', { ...callFields(request), ms, ...more }),
        )
    },
  }
}

/**
 * Returns a function that writes a log line of a kind unless one was written recently. A line that is not written is
 * counted in the next line that is written. The function returns whether it wrote.
 */
function createLogDeduplicator(elapsedMs: () => number) {
  const folds = new Map<string, { readonly lineAtMs: number; repeated: number }>()
  return (kind: string, write: (more: LogFields) => void): boolean => {
    const nowMs = elapsedMs()
    const fold = folds.get(kind)
    if (fold && nowMs - fold.lineAtMs < LOGGING.foldMs) {
      fold.repeated += 1
      return false
    }
    write(fold && fold.repeated > 0 ? { repeated: fold.repeated } : {})
    folds.set(kind, { lineAtMs: nowMs, repeated: 0 })
    return true
  }
}

function callFields({ host, method, path, lane }: UpstreamRequest) {
  return { host, method, path: path.split('?', 1)[0] ?? '', lane }
}
