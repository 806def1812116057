import { REQUEST_ID_HEADER, VENUE_TIME_HEADER } from '../../contract/headers.ts'
import type { Cidr } from '../../core/client-address.ts'
import { Failure } from '../../core/failure.ts'
import { markInUse } from '../../core/loop/idle-timers.ts'
import type { Meter } from '../../core/observing/meter.ts'
import {
  createRequestContext,
  inRequest,
  type RequestContext,
} from '../../core/observing/request-context.ts'
import type { AccessLog } from './access.ts'
import {
  type Callers,
  type ConnectedCaller,
  createCallerResolver,
  UNKNOWN_CALLER,
} from './callers.ts'
import { corsHeaders, isPreflight, type Origins, preflight } from './cors.ts'
import type { HotRead } from './hot.ts'
import { assertOneHost } from './origin.ts'
import { type RequestIds, requestTarget, requestTraceparent } from './request.ts'
import { routeMeters, routeName } from './requests.ts'
import { failureResponse, responseCode } from './responses.ts'

/** Answers one request of the public listener. `peer` is the socket's peer address. */
export type Front = (request: Request, peer: string) => Response | Promise<Response>

export type FrontOptions = {
  readonly app: (request: Request) => Response | Promise<Response>
  readonly hot: ReadonlyMap<string, HotRead>
  readonly callers: Callers
  readonly trusted: readonly Cidr[]
  /** Receives a peer that sent a forwarding header but is not a trusted proxy. */
  readonly onIgnored: (peer: string) => void
  readonly origins: Origins
  readonly meter: Meter
  readonly requestId: RequestIds
  readonly access: AccessLog
  /** Receives every answer. `response` is null for a hot read, which is answered from memory. */
  readonly onAnswer: (route: string, response: Response | null, tookMs: number) => void
  /** Receives errors from outside the router, except Failure. */
  readonly onCrash: (error: unknown) => void
  /** Headers that every answer carries, such as the kind of venue. */
  readonly marks: Readonly<Record<string, string>>
  /** The time of a virtual clock, which every answer carries; null if the venue runs in real time. */
  readonly venueNowMs: (() => number) | null
}

/** One request with its caller and its id. */
type IncomingRequest = {
  readonly request: Request
  readonly caller: ConnectedCaller
  readonly id: string
}

/** Every 32nd hot read is timed. The others are recorded with the last measured duration. */
const TIMED_ONE_IN = 32

/** `front` answers all paths. `direct` has a front for each path that the runtime itself routes. */
export type Fronts = { readonly front: Front; readonly direct: ReadonlyMap<string, Front> }

/** Creates the fronts. Each determines caller and request id, tries a hot read, and otherwise calls the router. */
export function createFronts(parts: FrontOptions): Fronts {
  const doors = hotHandlers(parts)
  const slow = routedHandler(parts)
  const callerOf = createCallerResolver(parts.trusted, parts.onIgnored)

  function createFront(doorOf: (request: Request) => HotHandler | undefined): Front {
    return (request, peer) => {
      markInUse()
      const id = parts.requestId(request, peer)
      try {
        assertOneHost(request.headers)
        const known = callerOf(request.headers, peer)
        const { method } = request
        const door = method === 'GET' ? doorOf(request) : undefined
        const response = door?.(request, known, id)
        if (response) return response
        return slow({ request, caller: method === 'HEAD' ? { ...known, isHead: true } : known, id })
      } catch (error) {
        // Two Host headers, a full rate window or an unreadable address: the request is refused without the router.
        return slow({ request, caller: UNKNOWN_CALLER, id }, () => {
          throw error
        })
      }
    }
  }

  const entries = [...doors].map(
    ([path, door]) =>
      [path, createFront(({ url }) => (url.includes('?') ? undefined : door))] as const,
  )
  return {
    front: createFront(({ url }) => doors.get(requestTarget(url))),
    direct: new Map(entries),
  }
}

/** Answers from a fresh entry in memory; null without such an entry. Throws RateLimited. */
type HotHandler = (request: Request, caller: ConnectedCaller, id: string) => Response | null

function hotHandlers({
  hot,
  meter,
  access,
  onAnswer,
}: FrontOptions): ReadonlyMap<string, HotHandler> {
  const meterOf = routeMeters(meter)
  let asked = 0
  let lastMs = 0

  /** The start time in ms if this answer is sampled, otherwise null. */
  function startMs(): number | null {
    asked += 1
    return asked % TIMED_ONE_IN === 1 ? meter.elapsedMs() : null
  }

  function quickDoor(path: string, read: HotRead): HotHandler {
    const route = routeName(path)
    const measure = meterOf(route)
    return (request, caller, id) => {
      const { limitKey } = caller
      const startedMs = startMs()
      const response = read(request, caller, id)
      if (!response) return null
      const { status } = response
      const ms = startedMs === null ? null : meter.elapsedMs() - startedMs
      lastMs = ms ?? lastMs
      measure(status, 'ok', ms)
      onAnswer(route, null, lastMs)
      access.note(status, () => {
        const context = {
          ...createRequestContext(id, limitKey, () => requestTraceparent(request)),
          cache: 'hit',
        }
        return [context, { route, code: 'ok', status, ms, caller }]
      })
      return response
    }
  }

  return new Map([...hot].map(([path, read]) => [path, quickDoor(path, read)]))
}

/** Answers every request without a hot read, by default through the router. */
function routedHandler(parts: FrontOptions) {
  const { callers, meter, marks, access, origins, onAnswer, venueNowMs } = parts
  const meterOf = routeMeters(meter)

  function route({ request, caller }: IncomingRequest): Response | Promise<Response> {
    if (isPreflight(request)) return preflight(request, origins)
    const routed = routable(request)
    callers.set(routed, caller)
    return parts.app(routed)
  }

  function finish(
    turn: IncomingRequest,
    response: Response,
    context: RequestContext,
    startedMs: number,
  ): Response {
    const { request, id, caller } = turn
    const { headers, status } = response
    headers.set(REQUEST_ID_HEADER, id)
    for (const name in marks) headers.set(name, marks[name] ?? '')
    if (venueNowMs) headers.set(VENUE_TIME_HEADER, `${venueNowMs()}`)
    corsHeaders(request, origins, headers)
    const name = routeName(targetPath(requestTarget(request.url)))
    const code = responseCode(response)
    const ms = meter.elapsedMs() - startedMs
    meterOf(name)(status, code, ms)
    onAnswer(name, response, ms)
    access.note(status, () => [context, { route: name, code, status, ms, caller }])
    return response
  }

  function failed(error: unknown): Response {
    if (!(error instanceof Failure)) parts.onCrash(error)
    return failureResponse(error)
  }

  return (turn: IncomingRequest, answer = route): Response | Promise<Response> => {
    const startedMs = meter.elapsedMs()
    const context = createRequestContext(turn.id, turn.caller.limitKey, () =>
      requestTraceparent(turn.request),
    )
    const done = (response: Response) => finish(turn, response, context, startedMs)
    try {
      const response = inRequest(context, () => answer(turn))
      if (response instanceof Response) return done(response)
      return response.catch(failed).then(done)
    } catch (error) {
      return done(failed(error))
    }
  }
}

function targetPath(target: string): string {
  const mark = target.indexOf('?')
  return mark < 0 ? target : target.slice(0, mark)
}

/** Length of `http://` and a host of four characters. The router looks for the path only from this position on. */
const ROUTED_FROM = 11

// Rebuilds a request whose Host is too short or missing, since the router would miss its path. HEAD becomes GET, which
// the router supports; the server then drops the body.
function routable(request: Request): Request {
  const { url, method } = request
  const isHidden = url.length - requestTarget(url).length < ROUTED_FROM
  if (method !== 'HEAD' && !isHidden) return request
  // `body` is accessed only in this branch, because the runtime then reads it as a stream, which is slower.
  const { headers, body } = request
  const reached = isHidden ? `http://localhost${requestTarget(url)}` : url
  return new Request(reached, { method: method === 'HEAD' ? 'GET' : method, headers, body })
}
