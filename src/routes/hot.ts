import { cached } from '../cache/answer.ts'
import type { Cache, Served } from '../cache/cache.ts'
import type { Caller } from '../core/client-address.ts'
import { admit, type Charging } from '../limits/admission.ts'
import type { Encoding } from '../scrub/packed.ts'
import { ROUTES, type Route } from '../spec/routes.ts'
import { everyReader, grant, type Origins } from './http/cors.ts'
import { encodingOf } from './http/encoding.ts'
import { cachedHeaders, notModified } from './http/responses.ts'

/** An answer that needs no routing, for one exact path without a query. Null when the router has to do it. */
export type HotRead = (request: Request, caller: Caller, requestId: string) => Response | null

type Parts = { readonly cache: Pick<Cache, 'peek'>; readonly limiter: Charging }

type Marks = Readonly<Record<string, string>>

/**
 * Answers that are fresh in memory, straight from the front door: limited like any other, but not routed.
 * They change once a second at most, so each of their forms is made once a second. `marks` go with every answer.
 */
export function hotReads(
  parts: Parts,
  marks: Marks,
  origins: Origins = '*',
): ReadonlyMap<string, HotRead> {
  const routes: Route[] = Object.values(ROUTES)
  return new Map(
    routes.filter(isHot).map((route) => [route.path, hotRead(parts, marks, origins, route)]),
  )
}

type HotRoute = Route & Pick<Required<Route>, 'cacheKey' | 'lifetime'>

function isHot(route: Route): route is HotRoute {
  return route.hot === true && route.cacheKey !== undefined && route.lifetime !== undefined
}

type Now = Pick<Served, 'reply' | 'ageSeconds'>

/** An answer as it is this second, in one encoding for one reader. A response copies its headers, so they serve all. */
type Form = { readonly body: Blob; readonly headers: Headers }

function hotRead(
  { cache, limiter }: Parts,
  marks: Marks,
  origins: Origins,
  { policy, cacheKey, lifetime }: HotRoute,
): HotRead {
  const forms = new Map<string | null, Map<Encoding | null, Form>>()
  let now: Now | null = null

  function formOf(served: Served, reader: string | null, liked: Encoding | null): Form {
    if (!now || !isSame(now, served)) {
      now = served
      forms.clear()
    }
    const known = forms.get(reader) ?? new Map<Encoding | null, Form>()
    forms.set(reader, known)
    const form = known.get(liked) ?? made(served, reader, liked)
    known.set(liked, form)
    return form
  }

  function made(served: Served, reader: string | null, liked: Encoding | null): Form {
    const { headers: kept, reply } = cached(served, lifetime)
    const bytes = liked && reply.packed(liked)
    const headers = new Headers(cachedHeaders(reply, { ...kept, ...marks }, bytes && liked))
    grant(reader, origins, headers)
    return { body: new Blob([bytes ?? reply.bytes]), headers }
  }

  return ({ headers: wishes }, caller, requestId) => {
    const served = cache.peek(cacheKey, lifetime)
    if (!served) return null
    admit(limiter, policy, caller.limitKey)
    const { reply } = served
    const liked = reply.isPackable ? encodingOf(wishes) : null
    const form = formOf(served, everyReader(wishes, origins), liked)
    form.headers.set('x-request-id', requestId)
    const isKnown = notModified(wishes, reply.etag)
    return isKnown
      ? new Response(null, { status: 304, headers: form.headers })
      : new Response(form.body, form)
  }
}

function isSame(last: Now, { reply, ageSeconds }: Served): boolean {
  return last.reply === reply && last.ageSeconds === ageSeconds
}
