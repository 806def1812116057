import { cached } from '../cache/answer.ts'
import type { Cache, Served } from '../cache/cache.ts'
import type { Caller } from '../core/client-address.ts'
import { admitRead, type ReadCharging } from '../limits/admission.ts'
import { ROUTES, type Route } from '../spec/routes.ts'
import { acceptsGzip, cachedHeaders, notModified } from './http/responses.ts'

/** An answer that needs no routing, for one exact path without a query. Null when the router has to do it. */
export type HotRead = (request: Request, caller: Caller, requestId: string) => Response | null

type Parts = { readonly cache: Pick<Cache, 'peek'>; readonly limiter: ReadCharging }

type Marks = Readonly<Record<string, string>>

/**
 * Answers that are fresh in memory, straight from the front door: limited like any other, but not routed.
 * Their headers change once a second at most, so they are made once a second. `marks` go with every answer.
 */
export function hotReads(parts: Parts, marks: Marks): ReadonlyMap<string, HotRead> {
  const routes: Route[] = Object.values(ROUTES)
  return new Map(
    routes.filter(isHot).map((route) => [route.path, hotRead(parts, marks, route)] as const),
  )
}

type HotRoute = Route & Pick<Required<Route>, 'cacheKey' | 'lifetime'>

function isHot(route: Route): route is HotRoute {
  return (
    route.hot === true &&
    route.policy === 'read' &&
    route.cacheKey !== undefined &&
    route.lifetime !== undefined
  )
}

/** An answer as it is this second, in both encodings. */
type Prepared = {
  readonly served: Pick<Served, 'reply' | 'ageSeconds'>
  readonly plain: Form
  readonly gzip: Form | null
}

type Form = {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Reused by every answer of this second: a response copies them, and an object of fields costs ten times more. */
  readonly headers: Headers
}

function hotRead(
  { cache, limiter }: Parts,
  marks: Marks,
  { cacheKey, lifetime }: HotRoute,
): HotRead {
  let last: Prepared | null = null

  function prepare(served: Served): Prepared {
    const { headers, reply } = cached(served, lifetime)
    const all = { ...headers, ...marks }
    const zipped = reply.gzip()
    return {
      served,
      plain: { bytes: reply.bytes, headers: new Headers(cachedHeaders(reply.etag, all, false)) },
      gzip: zipped && { bytes: zipped, headers: new Headers(cachedHeaders(reply.etag, all, true)) },
    }
  }

  return (request, caller, requestId) => {
    const served = cache.peek(cacheKey, lifetime)
    if (!served) return null
    admitRead(limiter, caller.limitKey)
    if (!last || !isSame(last.served, served)) last = prepare(served)
    return respond(request, last, requestId)
  }
}

function isSame(last: Prepared['served'], { reply, ageSeconds }: Served): boolean {
  return last.reply === reply && last.ageSeconds === ageSeconds
}

function respond({ headers: wishes }: Request, prepared: Prepared, requestId: string): Response {
  const { plain, gzip, served } = prepared
  const form = gzip && acceptsGzip(wishes) ? gzip : plain
  const { headers } = form
  headers.set('x-request-id', requestId)
  if (notModified(wishes, served.reply.etag)) return new Response(null, { status: 304, headers })
  return new Response(form.bytes, { headers })
}
