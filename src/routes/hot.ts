import { cached } from '../cache/answer.ts'
import type { Served } from '../cache/cache.ts'
import type { Caller } from '../core/client-address.ts'
import type { Deps } from '../gateway/deps.ts'
import { admit } from '../limits/admission.ts'
import type { Lifetime } from '../spec/limits.ts'
import { ROUTES, type Route } from '../spec/routes.ts'
import { acceptsGzip, cachedHeaders, notModified } from './http/responses.ts'

/** An answer that needs no routing, for one exact path without a query. Null when the router has to do it. */
export type HotRead = (request: Request, caller: Caller, requestId: string) => Response | null

/** Reads without parameters, by the key their verbs cache them under. */
const KEYS: Partial<Record<string, string>> = {
  catalogue: 'route:catalogue',
  markets: 'route:markets',
  marketRules: 'route:market-rules',
  config: 'route:config',
  tokens: 'route:tokens',
  depositChains: 'route:deposit-chains',
  insuranceFund: 'route:insurance-fund',
}

type Marks = Readonly<Record<string, string>>

/**
 * Answers that are fresh in memory, straight from the front door: limited like any other, but not routed.
 * Their headers change once a second at most, so they are made once a second. `marks` go with every answer.
 */
export function hotReads(deps: Deps, marks: Marks): ReadonlyMap<string, HotRead> {
  const routes: [string, Route][] = Object.entries(ROUTES)
  return new Map(
    routes.flatMap(([id, route]) => {
      const key = KEYS[id]
      const { lifetime } = route
      return key && lifetime
        ? [[route.path, hotRead(deps, marks, { ...route, lifetime }, key)]]
        : []
    }),
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
  deps: Deps,
  marks: Marks,
  { policy, lifetime }: Route & { readonly lifetime: Lifetime },
  key: string,
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
    const served = deps.cache.peek(key, lifetime)
    if (!served) return null
    admit(deps, policy, caller.limitKey)
    if (!last || !isSame(last.served, served)) last = prepare(served)
    return respond(request, last, requestId)
  }
}

function isSame(last: Prepared['served'], { reply, ageSeconds }: Served): boolean {
  return last.reply === reply && last.ageSeconds === ageSeconds
}

function respond({ headers: wishes }: Request, prepared: Prepared, requestId: string): Response {
  const { plain, gzip, served } = prepared
  const form = gzip && acceptsGzip(wishes.get('accept-encoding')) ? gzip : plain
  const { headers } = form
  headers.set('x-request-id', requestId)
  if (notModified(wishes, served.reply.etag)) return new Response(null, { status: 304, headers })
  return new Response(form.bytes, { headers })
}
