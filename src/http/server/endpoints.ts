import type { Static, TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Route } from '../../contract/routes.ts'
import type { Caller } from '../../core/client-address.ts'
import { parseQuery, type Query } from '../../core/query.ts'
import type { Answer } from '../../gateway/cache/answer.ts'
import type { Controls } from '../../gateway/controls/controls.ts'
import { admit, admitRead, type ChargeableWindows } from '../../gateway/limits/admission.ts'
import { readBody } from './body.ts'
import type { Callers } from './callers.ts'
import { requestTarget } from './request.ts'
import { toResponse } from './responses.ts'

/** The parts that each route uses before its verb runs: the caller, the rate windows, and whether writes are open. */
export type RouteAccess = {
  readonly callers: Callers
  readonly limiter: ChargeableWindows
  readonly controls: Pick<Controls, 'assertOpen'>
}

/** Bodies are read by `readBody`, never by the router. */
export const UNPARSED_BODY = { parse: 'none' } as const

/** A route with its handler. */
type RouteHandler = {
  readonly route: Route
  readonly serve: (entrance: RouteAccess, request: Request) => Promise<Response>
}

/** A route that reads: it charges its rate window, then answers from the query. */
export function readRoute(
  route: Route,
  verb: (query: Query, caller: Caller) => Answer | Promise<Answer>,
): RouteHandler {
  async function serve({ limiter, callers }: RouteAccess, request: Request): Promise<Response> {
    const caller = callers.of(request)
    // The read policy has a fast path that charges synchronously. Most routes are reads.
    if (route.policy === 'read') admitRead(limiter, caller.limitKey)
    else await admit(limiter, route.policy, caller.limitKey)
    return toResponse(await verb(requestQuery(request), caller), request.headers)
  }
  return { route, serve }
}

/** A route with a JSON body: it charges its rate window, parses the body, then answers. */
export function writeRoute<S extends TSchema>(
  route: Route,
  schema: S,
  verb: (body: Static<S>, caller: Caller, request: Request) => Promise<Answer>,
): RouteHandler {
  async function serve({ limiter, callers, controls }: RouteAccess, request: Request) {
    const caller = callers.of(request)
    await admit(limiter, route.policy, caller.limitKey)
    if (route.changes) controls.assertOpen()
    const body = await readBody(request, schema, caller.limitKey)
    return toResponse(await verb(body, caller, request), request.headers)
  }
  return { route, serve }
}

/** A plugin with a family of routes. */
export function routePlugin(name: string, entrance: RouteAccess, rows: readonly RouteHandler[]) {
  const plugin = new Elysia({ name: `routes.${name}` })
  for (const { route, serve } of rows)
    plugin.route(route.method, route.path, ({ request }) => serve(entrance, request), UNPARSED_BODY)
  return plugin
}

/** The query of a request, parsed once per request. Its rules are in core/query. */
export function requestQuery(request: Request): Query {
  const target = requestTarget(request.url)
  const mark = target.indexOf('?')
  return parseQuery(mark < 0 ? '' : target.slice(mark))
}
