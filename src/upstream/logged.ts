import { currentVisit } from '../core/observing/visit.ts'
import {
  type Log,
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../core/ports.ts'
import { LOGGING } from '../spec/operator/logging.ts'
import { createTroubles } from './troubles.ts'

type Parts = {
  readonly log: Log
  /** Monotonic milliseconds. */
  readonly elapsedMs: () => number
}

/**
 * An upstream whose failures leave a line for the operator: what went wrong and where, never what was sent. What
 * repeats is folded; every call has its line at the level `debug`.
 */
export function loggedUpstream(upstream: Upstream, { log, elapsedMs }: Parts): Upstream {
  const troubles = createTroubles({ log, elapsedMs })

  function answered(request: UpstreamRequest, { status }: UpstreamResponse, ms: number): void {
    if (log.isDebug?.() ?? true) log.debug('upstream_call', { ...callFields(request), status, ms })
    if (isRefusedUnread(status)) failed(request, `http_${status}`, { sent: true, ms })
    else troubles.over(request.host)
    if (ms > LOGGING.slowCallMs) troubles.slow(request.host, { ...callFields(request), ms })
  }

  function failed(
    request: UpstreamRequest,
    fault: string,
    { sent, ms }: { readonly sent: boolean; readonly ms: number },
  ): void {
    const visit = currentVisit()
    if (visit) visit.venueFault = fault
    troubles.failed(request.host, fault, { ...callFields(request), fault, sent, ms })
  }

  return {
    send: async (request) => {
      const startedMs = elapsedMs()
      const took = () => noteVenueMs(Math.round(elapsedMs() - startedMs))
      try {
        const response = await upstream.send(request)
        answered(request, response, took())
        return response
      } catch (error) {
        const { fault, sent } =
          error instanceof UpstreamError ? error : { fault: 'unexpected', sent: true }
        failed(request, fault, { sent, ms: took() })
        throw error
      }
    },
  }
}

function noteVenueMs(ms: number): number {
  const visit = currentVisit()
  if (visit) visit.venueMs = (visit.venueMs ?? 0) + ms
  return ms
}

function isRefusedUnread(status: number): boolean {
  return status === 429 || status >= 500
}

function callFields({ host, method, path, lane }: UpstreamRequest) {
  return { host, method, path: path.split('?', 1)[0] ?? '', lane }
}
