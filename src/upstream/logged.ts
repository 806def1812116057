import { type Log, type Upstream, UpstreamError } from '../core/ports.ts'

/** An upstream whose failures leave a line for the operator: what went wrong and where, never what was sent. */
export function loggedUpstream(upstream: Upstream, log: Log): Upstream {
  return {
    send: async (request) => {
      try {
        return await upstream.send(request)
      } catch (error) {
        const [path = ''] = request.path.split('?')
        const { host, method, lane } = request
        const fault = error instanceof UpstreamError ? error.fault : 'unexpected'
        const sent = error instanceof UpstreamError ? error.sent : true
        log.warn('upstream_failed', { host, method, path, lane, fault, sent })
        throw error
      }
    },
  }
}
