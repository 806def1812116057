import type { Caller } from '../../core/client-address.ts'
import { type Cidr, clientAddress, limitKey } from '../../core/client-address.ts'
import { Failure } from '../../core/failure.ts'
import type { HotRead } from '../hot.ts'
import type { Callers, Visitor } from './callers.ts'
import { corsHeaders, isPreflight, type Origins, preflight } from './cors.ts'
import { headerOf } from './header.ts'
import type { Meter } from './meter.ts'
import { failureResponse } from './responses.ts'
import { targetOf } from './target.ts'

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
  /** Told of what is thrown outside the router and is no Failure. */
  readonly onCrash: (error: unknown) => void
  /** Sent with every answer, such as what kind of venue stands behind it. */
  readonly marks: Readonly<Record<string, string>>
}

/** The front door: who calls, the request's id, cross-origin rules, the hot path, then the router. */
export function createFront(parts: FrontParts): Front {
  const { hot, callers, meter, marks } = parts

  function route(request: Request, caller: Visitor): Response | Promise<Response> {
    if (isPreflight(request)) return preflight(request, parts.origins)
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
    return response
  }

  function quick(request: Request, caller: Caller): Response | null {
    const read = request.method === 'GET' ? hot.get(targetOf(request.url)) : undefined
    const response = read?.(request, caller, parts.requestId())
    if (!response) return null
    // Asking a response for its headers costs a good part of this path: where everyone may read, they are in it.
    if (parts.origins !== '*') corsHeaders(request, parts.origins, response.headers)
    meter.count(response.status)
    return response
  }

  function failed(error: unknown): Response {
    if (!(error instanceof Failure)) parts.onCrash(error)
    return failureResponse(error)
  }

  return (request, peer) => {
    try {
      const caller = callerOf(request, peer, parts.trusted)
      const hit = quick(request, caller)
      if (hit) return hit
      const response = route(request, caller)
      if (response instanceof Response) return finish(request, response)
      return response.catch(failed).then((settled) => finish(request, settled))
    } catch (error) {
      return finish(request, failed(error))
    }
  }
}

function callerOf(request: Request, peer: string, trusted: readonly Cidr[]): Visitor {
  const forwarded = trusted.length === 0 ? null : headerOf(request.headers, 'x-forwarded-for')
  const address = clientAddress(peer, forwarded, trusted)
  return { address, limitKey: limitKey(address), peer }
}

/** `http://` and four characters of a host: the router looks for the path from there on. */
const ROUTED_FROM = 11

// A shorter Host, or none, would hide the path from the router; and it knows no HEAD, which is a GET whose body the
// server keeps back.
function routable(request: Request): Request {
  const { url, method, headers, body } = request
  const isHidden = url.length - targetOf(url).length < ROUTED_FROM
  if (method !== 'HEAD' && !isHidden) return request
  const reached = isHidden ? `http://localhost${targetOf(url)}` : url
  return new Request(reached, { method: method === 'HEAD' ? 'GET' : method, headers, body })
}
