import type { Meter } from '../core/observing/meter.ts'
import type { Histogram } from '../core/observing/series.ts'
import {
  type Clock,
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../core/ports.ts'
import { VENUE_CODES } from '../wire/codes.ts'
import type { Lane, LaneLoad } from './lanes.ts'

type Parts = { readonly meter: Meter; readonly clock: Clock }

/** Where an answer tells the venue's time and code: in front of its data, which may be long. */
const HEAD_CHARS = 256

/** An upstream whose calls are counted and timed, and whose clock is compared with ours. */
export function meteredUpstream(upstream: Upstream, { meter, clock }: Parts): Upstream {
  let skewSeconds: number | null = null
  meter.reading('prepd_venue_clock_skew_seconds', () => skewSeconds)

  /** Taken in the middle of the call, as nearly as one answer can tell. */
  function noteSkew({ body }: UpstreamResponse, tookMs: number): void {
    const stamp = /"timestamp":\s*(\d{13})\b/.exec(body.slice(0, HEAD_CHARS))?.[1]
    if (stamp) skewSeconds = (Number(stamp) - (clock.nowMs() - tookMs / 2)) / 1000
  }

  // Finding a series costs more than counting in it, and the lanes of the hosts are few.
  const times = { main: new Map<Lane, Histogram>(), vaults: new Map<Lane, Histogram>() }

  function timeOf({ host, lane }: UpstreamRequest): Histogram {
    const known = times[host].get(lane)
    if (known) return known
    const made = meter.histogram('prepd_venue_call_duration_seconds', host, lane)
    times[host].set(lane, made)
    return made
  }

  return {
    send: async (request) => {
      const { host, lane } = request
      const startedMs = meter.elapsedMs()
      const tookMs = () => meter.elapsedMs() - startedMs
      try {
        const response = await upstream.send(request)
        noteSkew(response, tookMs())
        const status = String(response.status)
        meter.counter('prepd_venue_answers_total', host, status, codeOf(response)).add()
        return response
      } catch (error) {
        meter.counter('prepd_venue_faults_total', host, lane, faultOf(error)).add()
        throw error
      } finally {
        timeOf(request).observe(tookMs() / 1000)
      }
    },
  }
}

function faultOf(error: unknown): string {
  return error instanceof UpstreamError ? error.fault : 'unexpected'
}

function codeOf({ status, body }: UpstreamResponse): string {
  const head = body.slice(0, HEAD_CHARS)
  if (status < 300 && !/"success":\s*false|"s":\s*"error"/.test(head)) return 'none'
  const code = /"code":\s*"?([-\w]{1,40})/.exec(head)?.[1] ?? 'none'
  return code === 'none' || VENUE_CODES.has(code) ? code : 'other'
}

/** Shows how many calls of each lane are in flight and how many wait. */
export function readLanes(meter: Meter, load: (lane: Lane) => LaneLoad): void {
  for (const lane of ['read', 'write'] as const) {
    meter.reading('prepd_venue_slots_in_use', () => load(lane).inFlight, lane)
    meter.reading('prepd_venue_queued', () => load(lane).queued, lane)
  }
}
