import { Failure } from '../../core/failure.ts'
import { currentSpan } from '../../core/observing/span.ts'
import { type Upstream, UpstreamError, type UpstreamRequest } from '../../core/ports.ts'
import { matchRelay } from '../../wire/allowlist.ts'

/** An upstream whose calls are parts of the span of the request that made them; those that nobody asked for are not told. */
export function tracedUpstream(upstream: Upstream): Upstream {
  return {
    send: async (request) => {
      const { method, host, lane } = request
      const template = templateOf(request)
      const span = currentSpan()?.part(template === undefined ? method : `${method} ${template}`, {
        'http.request.method': method,
        'url.template': template,
        'prepd.venue.host': host,
        'prepd.venue.lane': lane,
      })
      if (!span) return upstream.send(request)
      try {
        const response = await upstream.send(request)
        const { status } = response
        span.end({ 'http.response.status_code': status }, status < 400 ? null : `http_${status}`)
        return response
      } catch (error) {
        span.end({}, error instanceof UpstreamError ? error.fault : 'unexpected')
        throw error
      }
    },
  }
}

/** The relayed path as its table writes it: which order or market it is about stays here. Undefined for other paths. */
function templateOf({ method, path }: UpstreamRequest): string | undefined {
  try {
    return matchRelay(method, path).template
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
