import { type Clock, type Upstream, UpstreamError } from '../core/ports.ts'

/** Takes how long a call took, and what was wrong with it: null when it was answered. */
export type Measure = (tookMs: number, fault: string | null) => void

/** An upstream whose calls are measured; the stopwatch's milliseconds may have parts. */
export function measuredUpstream(upstream: Upstream, stopwatch: Clock, measure: Measure): Upstream {
  return {
    send: async (request) => {
      const startedMs = stopwatch.nowMs()
      try {
        const response = await upstream.send(request)
        measure(stopwatch.nowMs() - startedMs, response.status >= 500 ? 'status 5xx' : null)
        return response
      } catch (error) {
        const fault = error instanceof UpstreamError ? error.fault : 'unexpected'
        measure(stopwatch.nowMs() - startedMs, fault)
        throw error
      }
    },
  }
}
