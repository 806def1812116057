import { REQUEST_ID_HEADER } from '../contract/headers.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { ROUTES, type Route } from '../contract/routes.ts'
import { type Cidr, isInAnyBlock } from '../core/client-address.ts'
import type { Meter } from '../core/observing/meter.ts'
import { inSpan } from '../core/observing/request-context.ts'
import type { World } from '../core/ports.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { Front } from '../http/server/front.ts'
import { requestTarget, requestTraceparent } from '../http/server/request.ts'
import { routeName } from '../http/server/requests.ts'
import { responseCode } from '../http/server/responses.ts'
import type { Begin } from './tracer.ts'

type TracingOptions = { readonly begin: Begin; readonly trusted: readonly Cidr[] }

/**
 * Wraps a front so that each request becomes a span with method, route, status, code and request id. The span belongs
 * to the trace in the `traceparent` of a trusted proxy, otherwise to a new trace.
 */
function tracedFront(front: Front, { begin, trusted }: TracingOptions): Front {
  return (request, peer) => {
    const method = METHODS.has(request.method) ? request.method : '_OTHER'
    const [path = ''] = requestTarget(request.url).split('?', 1)
    const route = pathTemplate(path)
    const name = route === undefined ? method : `${method} ${route}`
    const traceparent = isInAnyBlock(trusted, peer) ? requestTraceparent(request) : null
    const span = begin(name, traceparent, { 'http.request.method': method, 'http.route': route })
    const done = (response: Response): Response => {
      const { status, headers } = response
      const code = responseCode(response)
      const fields = {
        'http.response.status_code': status,
        'prepd.code': code,
        'prepd.request_id': headers.get(REQUEST_ID_HEADER) ?? undefined,
      }
      span.end(fields, status < 500 ? null : code)
      return response
    }
    const answer = inSpan(span, () => front(request, peer))
    return answer instanceof Response ? done(answer) : answer.then(done)
  }
}

/** The HTTP methods that spans record. Other methods are not recorded, because a caller may invent a method. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])

const OPERATION_PATH = ROUTES.operation.path

/** Path templates of route names that cover several paths. */
const ROUTE_TEMPLATES: Readonly<Record<string, string>> = {
  operation: OPERATION_PATH,
  reference: '/swagger/*',
  page: '/trade/*',
  admin: '/api/admin/*',
}

const TEMPLATES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ROUTE_TEMPLATES),
  ...Object.entries<Route>(ROUTES).map(([id, { path }]) => [id, path] as const),
  ...Object.keys(OPERATIONS).map((id) => [id, OPERATION_PATH.replace('{id}', id)] as const),
])

/** The path's template in the tables; undefined for any other path. */
function pathTemplate(path: string): string | undefined {
  return TEMPLATES.get(routeName(path))
}

/** The traces of a deployment's requests. */
export type Tracing = {
  readonly front: (front: Front) => Front
  /** Sends the remaining spans, within the flush deadline. */
  readonly close: () => Promise<void>
}

const UNTRACED: Tracing = {
  front: (front) => front,
  close: async () => undefined,
}

/** Opens tracing by the settings. Without a collector it creates no spans and skips the tracing code. */
export async function openTracing(
  { traces, trustedProxies }: Pick<Settings, 'traces' | 'trustedProxies'>,
  world: World,
  meter: Meter,
): Promise<Tracing> {
  if (traces === null) return UNTRACED
  const { openTracer } = await import('./tracer.ts')
  const { begin, close } = openTracer(traces, { ...world, meter })
  return {
    front: (front) => tracedFront(front, { begin, trusted: trustedProxies }),
    close,
  }
}
