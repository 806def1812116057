import { type Cidr, clientAddress, limitKey } from '../core/client-address.ts'
import { Failure } from '../core/failure.ts'
import type { Caller } from '../gateway/deps.ts'
import type { Callers, Visitor } from './callers.ts'
import { corsHeaders, type Origins, preflight } from './cors.ts'
import type { HotRead } from './hot.ts'
import type { Meter } from './meter.ts'
import { failureResponse } from './responses.ts'

/** Answers one request of the public listener; `peer` is the address at the other end of the socket. */
export type Front = (request: Request, peer: string) => Response | Promise<Response>

export type FrontParts = {
  readonly app: (request: Request) => Response | Promise<Response>
  readonly hot: ReadonlyMap<string, HotRead>
  readonly callers: Callers
  readonly trusted: readonly Cidr[]
  readonly origins: Origins
  readonly meter: Meter
  readonly requestId: () => string
  /** Sent with every answer, such as what kind of venue stands behind it. */
  readonly marks: Readonly<Record<string, string>>
}

const AFTER_SCHEME = 'http://'.length

/** The front door: who calls, the request's id, cross-origin rules, the hot path, then the router. */
export function createFront(parts: FrontParts): Front {
  const { hot, callers, meter, marks } = parts

  function route(request: Request, caller: Visitor): Response | Promise<Response> {
    if (request.method === 'OPTIONS') return preflight(request, parts.origins)
    const routed = routable(request)
    callers.set(routed, caller)
    return parts.app(routed)
  }

  function finish(request: Request, response: Response): Response {
    const { headers } = response
    headers.set('x-request-id', parts.requestId())
    for (const name in marks) headers.set(name, marks[name] ?? '')
    corsHeaders(request, parts.origins, headers)
    meter.count(response.status)
    return request.method === 'HEAD' ? new Response(null, response) : response
  }

  function quick(request: Request, caller: Caller): Response | null {
    const read = request.method === 'GET' ? hot.get(targetOf(request.url)) : undefined
    const response = read?.(request, caller, parts.requestId())
    if (!response) return null
    // Asking a response for its headers costs a good part of this path: only browsers need more of them.
    if (parts.origins !== '*' || request.headers.has('origin')) {
      corsHeaders(request, parts.origins, response.headers)
    }
    meter.count(response.status)
    return response
  }

  return (request, peer) => {
    try {
      const caller = callerOf(request, peer, parts.trusted)
      const hit = quick(request, caller)
      if (hit) return hit
      const response = route(request, caller)
      if (response instanceof Response) return finish(request, response)
      return response.catch(failureResponse).then((settled) => finish(request, settled))
    } catch (error) {
      return finish(request, failureResponse(error))
    }
  }
}

function callerOf(request: Request, peer: string, trusted: readonly Cidr[]): Visitor {
  const forwarded = trusted.length === 0 ? null : request.headers.get('x-forwarded-for')
  const address = clientAddress(peer, forwarded, trusted)
  return { address, limitKey: limitKey(address), peer }
}

/** Path and query of a request, as sent. */
export function targetOf(url: string): string {
  const start = url.indexOf('/', AFTER_SCHEME)
  return start < 0 ? '/' : url.slice(start)
}

// The router looks for the path from the eleventh character on, so a Host of one or two letters would hide it;
// and it knows no HEAD, which is a GET whose body stays here.
function routable(request: Request): Request {
  const start = request.url.indexOf('/', AFTER_SCHEME)
  if (request.method !== 'HEAD' && start >= 11) return request
  const url = start >= 11 ? request.url : `http://localhost${targetOf(request.url)}`
  const method = request.method === 'HEAD' ? 'GET' : request.method
  return new Request(url, { method, headers: request.headers, body: request.body })
}

/** The failure of a known path asked with a method it does not have. */
export function methodNotAllowed(allow: string): Failure {
  return new Failure('method_not_allowed', { allow })
}
