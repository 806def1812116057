import { FAILURES } from '../../contract/failures.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isObject } from '../../core/json.ts'
import { systemErrorCode } from '../../core/loop/guarded.ts'
import { EVENT_STREAM, type ServiceTransport } from './client.ts'

/** Error codes of a connection that was never established: the request was certainly unsent. */
const UNSENT_CODES = [
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
]

/**
 * Sends requests over the network, each at most once: redirects are not followed, and a POST uses a new connection. A
 * signed write that may have been sent but got no answer is answered with `outcome_unknown`. Throws for every other
 * connection error.
 */
export function remoteTransport(send: typeof fetch): ServiceTransport {
  return async (request) => {
    const writes = await mayWrite(request)
    try {
      return await send(request, {
        redirect: 'manual',
        keepalive: request.method === 'GET',
        signal: isEventStreamRequest(request)
          ? request.signal
          : AbortSignal.timeout(LIMITS.clientDeadlineMs),
      })
    } catch (error) {
      if (writes && !UNSENT_CODES.includes(systemErrorCode(error))) return outcomeUnknown()
      throw error
    }
  }
}

// An event stream has no deadline; its reader ends it.
function isEventStreamRequest({ headers }: Request): boolean {
  return headers.get('accept') === EVENT_STREAM
}

async function mayWrite(request: Request): Promise<boolean> {
  if (request.method === 'GET') return false
  const envelope: unknown = await request.clone().json()
  return !isObject(envelope) || envelope['method'] !== 'GET'
}

function outcomeUnknown(): Response {
  const { error, status } = FAILURES.outcome_unknown
  const meta = { unreachable: 'service' }
  return Response.json({ code: 'outcome_unknown', error, meta }, { status })
}
