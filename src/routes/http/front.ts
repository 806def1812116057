import type { Caller } from '../../core/client-address.ts'
import { type Cidr, clientAddress, limitKey } from '../../core/client-address.ts'
import type { Meter } from '../../core/meter.ts'
import type { HotRead } from '../hot.ts'
import type { Callers, Visitor } from './callers.ts'
import { corsHeaders, isPreflight, type Origins, preflight } from './cors.ts'
import { routeMeters, routeName } from './requests.ts'
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
  /** Sent with every answer, such as what kind of venue stands behind it. */
  readonly marks: Readonly<Record<string, string>>
}

/** The front door: who calls, the request's id, cross-origin rules, the hot path, then the router. */
export function createFront(parts: FrontParts): Front {
  const { callers, meter, marks } = parts
  const meterOf = routeMeters(meter)
  const hot = new Map(
    [...parts.hot].map(([path, read]) => [path, { read, measure: meterOf(routeName(path)) }]),
  )

  function route(request: Request, caller: Visitor): Response | Promise<Response> {
    if (isPreflight(request)) return preflight(request, parts.origins)
    const routed = routable(request)
    callers.set(routed, caller)
    return parts.app(routed)
  }

  function finish(request: Request, response: Response, startedMs: number): Response {
    const { headers } = response
    headers.set('x-request-id', parts.requestId())
    for (const name in marks) headers.set(name, marks[name] ?? '')
    corsHeaders(request, parts.origins, headers)
    const [path = ''] = targetOf(request.url).split('?', 1)
    meterOf(routeName(path))(response, startedMs)
    return response
  }

  function quick(request: Request, caller: Caller, startedMs: number): Response | null {
    const found = request.method === 'GET' ? hot.get(targetOf(request.url)) : undefined
    const response = found?.read(request, caller, parts.requestId())
    if (!found || !response) return null
    // Asking a response for its headers costs a good part of this path: where everyone may read, they are in it.
    if (parts.origins !== '*') corsHeaders(request, parts.origins, response.headers)
    found.measure(response, startedMs)
    return response
  }

  return (request, peer) => {
    const startedMs = meter.elapsedMs()
    try {
      const caller = callerOf(request, peer, parts.trusted)
      const hit = quick(request, caller, startedMs)
      if (hit) return hit
      const response = route(request, caller)
      if (response instanceof Response) return finish(request, response, startedMs)
      return response.catch(failureResponse).then((settled) => finish(request, settled, startedMs))
    } catch (error) {
      return finish(request, failureResponse(error), startedMs)
    }
  }
}

function callerOf(request: Request, peer: string, trusted: readonly Cidr[]): Visitor {
  const forwarded = trusted.length === 0 ? null : request.headers.get('x-forwarded-for')
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
