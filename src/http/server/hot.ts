import { REQUEST_ID_HEADER, VENUE_TIME_HEADER } from '../../contract/headers.ts'
import { ROUTES, type Route } from '../../contract/routes.ts'
import type { Caller } from '../../core/client-address.ts'
import { cachedAnswer } from '../../gateway/cache/answer.ts'
import type { Cache, Served } from '../../gateway/cache/cache.ts'
import { admitQuickly, type QuickReadWindows } from '../../gateway/limits/admission.ts'
import type { Encoding, Reply } from '../../gateway/scrub/reply.ts'
import { addCorsHeaders, type Origins, publicReader } from './cors.ts'
import { cachedHeaders, notModified, preferredEncoding } from './responses.ts'

/** Answers one exact path without a query and without routing; null if the router must answer. */
export type HotRead = (request: Request, caller: Caller, requestId: string) => Response | null

type HotReadOptions = {
  /** Headers that every answer carries. */
  readonly marks: Readonly<Record<string, string>>
  /** The time of a virtual clock; null if the venue runs in real time. */
  readonly venueNowMs: (() => number) | null
  readonly cache: Pick<Cache, 'peek'>
  readonly limiter: QuickReadWindows
}

/**
 * Reads that the front answers from memory. They are rate limited like all reads but skip the router. Their answers
 * change at most once per second, so each form is made once per second.
 */
export function hotReads(parts: HotReadOptions, origins: Origins): ReadonlyMap<string, HotRead> {
  const routes: Route[] = Object.values(ROUTES)
  return new Map(routes.filter(isHot).map((route) => [route.path, hotRead(parts, origins, route)]))
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

type Now = Pick<Served, 'reply' | 'ageSeconds'>

/**
 * A ready answer in one encoding for one reader, valid for one second. Each response copies the headers, so one set
 * serves all. A header set that an earlier response created is the fastest to copy (measured with Bun 1.4.5).
 */
type Form = {
  readonly reader: string | null
  readonly liked: Encoding | null
  readonly body: Body
  readonly like: Response
  readonly headers: Headers
}

function hotRead(
  { cache, limiter, marks, venueNowMs }: HotReadOptions,
  origins: Origins,
  { cacheKey, lifetime }: HotRoute,
): HotRead {
  const forms = new Map<string | null, Map<Encoding | null, Form>>()
  let now: Now | null = null
  let last: Form | null = null

  function findForm(served: Served, reader: string | null, liked: Encoding | null): Form {
    if (now !== served && !isSame(now, served)) {
      now = served
      last = null
      forms.clear()
    }
    if (last && last.reader === reader && last.liked === liked) return last
    last = forms.get(reader)?.get(liked) ?? kept(served, reader, liked)
    return last
  }

  function kept(served: Served, reader: string | null, liked: Encoding | null): Form {
    const known = forms.get(reader) ?? new Map<Encoding | null, Form>()
    const form = made(served, reader, liked)
    forms.set(reader, known.set(liked, form))
    return form
  }

  function made(served: Served, reader: string | null, liked: Encoding | null): Form {
    const { headers, reply } = cachedAnswer(served, lifetime)
    const bytes = liked && reply.packed(liked)
    const like = new Response(null, {
      headers: cachedHeaders(reply, { ...headers, ...marks }, bytes && liked),
    })
    addCorsHeaders(reader, origins, like.headers)
    return { reader, liked, body: fastBody(reply, bytes), like, headers: like.headers }
  }

  return ({ headers: requested }, caller, requestId) => {
    const served = cache.peek(cacheKey, lifetime)
    if (!served) return null
    admitQuickly(limiter, caller.limitKey)
    const { reply } = served
    const liked = reply.isPackable ? preferredEncoding(requested) : null
    const { body, like, headers } = findForm(served, publicReader(requested, origins), liked)
    headers.set(REQUEST_ID_HEADER, requestId)
    if (venueNowMs) headers.set(VENUE_TIME_HEADER, `${venueNowMs()}`)
    if (notModified(requested, reply.etag)) return new Response(null, { status: 304, headers })
    return new Response(body, like)
  }
}

type Body = Blob | Uint8Array<ArrayBuffer> | string

/** Up to this size, a response copies bytes in less time than it takes to refer to a Blob. */
const COPIED_MAX_BYTES = 16 * 1024

/**
 * The fastest form of a body (measured with Bun 1.4.5). Text without other characters than ASCII is fastest as a
 * string; the runtime would encode any other string for each response.
 */
function fastBody(reply: Reply, packed: Uint8Array<ArrayBuffer> | null): Body {
  const bytes = packed ?? reply.bytes
  const text = packed ? null : reply.text()
  if (text?.length === bytes.byteLength) return text
  return bytes.byteLength > COPIED_MAX_BYTES ? new Blob([bytes]) : bytes
}

function isSame(last: Now | null, { reply, ageSeconds }: Served): boolean {
  return last?.reply === reply && last.ageSeconds === ageSeconds
}
