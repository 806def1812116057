import type { Answer } from '../cache/answer.ts'
import type { Cidr } from '../core/client-address.ts'
import { crashFields } from '../core/log.ts'
import { once } from '../core/loop/once.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { config } from '../gateway/market/config.ts'
import { ROUTES, type RouteId } from '../spec/routes.ts'
import type { Recorder } from './console/recorder.ts'
import { answeredOf } from './console/tally.ts'
import { type AccessLines, createAccessLog } from './http/access.ts'
import { besideBody } from './http/body.ts'
import { createCallers } from './http/callers.ts'
import type { Origins } from './http/cors.ts'
import { reading } from './http/endpoints.ts'
import { createFronts, type Fronts } from './http/front.ts'
import { hotReads } from './http/hot.ts'
import { createRequestIds } from './http/request-id.ts'
import { targetOf } from './http/target.ts'
import { withPracticeStep } from './practice.ts'
import type { Router, Shared } from './router.ts'

type Parts = {
  readonly gateway: Gateway
  readonly trusted: readonly Cidr[]
  readonly origins: Origins
  readonly accessLines: AccessLines
  readonly recorder: Recorder
  readonly venue: 'embedded' | 'live'
  /** The router, which the first request that needs it waits for. */
  readonly routerOf: (shared: Shared) => Promise<Router>
}

/** The whole public surface over a gateway, ready for a listener. Hot reads are answered without the router. */
export function createPublic(parts: Parts): Fronts {
  const { gateway, trusted, origins, accessLines, recorder, venue } = parts
  const { random, log, meter, cache, limiter } = gateway
  const marks = {
    'x-content-type-options': 'nosniff',
    ...(venue === 'embedded' && { 'x-prepd-venue': 'embedded' }),
  }
  const shared: Shared = {
    callers: createCallers(),
    log,
    onCrash: (error) => log.error('crash', crashFields(error)),
    explain: venue === 'embedded' ? withPracticeStep : (failure) => failure,
  }
  return createFronts({
    ...shared,
    app: appOf(parts, shared),
    hot: hotReads({ cache, limiter }, marks, origins),
    trusted,
    origins,
    meter,
    onAnswer: (route, response, tookMs) => recorder.answered(answeredOf(route, response, tookMs)),
    requestId: createRequestIds(random, trusted),
    access: createAccessLog({ log, elapsedMs: meter.coarseMs, ...accessLines }),
    marks,
  })
}

/** What hot reads are asked of when memory has no answer, which is loaded by the first who asks. */
const VERBS = {
  catalogue: async (deps) => (await import('../gateway/catalogue.ts')).catalogueAnswer(deps),
  markets: async (deps) => (await import('../gateway/market/markets.ts')).markets(deps),
  marketRules: async (deps) => (await import('../gateway/market/markets.ts')).marketRules(deps),
  config,
  tokens: async (deps) => (await import('../gateway/market/funds.ts')).tokens(deps),
  depositChains: async (deps) => (await import('../gateway/market/funds.ts')).depositChains(deps),
  insuranceFund: async (deps) => (await import('../gateway/market/funds.ts')).insuranceFund(deps),
} as const satisfies Partial<Record<RouteId, (deps: Gateway) => Promise<Answer>>>

function appOf({ gateway, routerOf }: Parts, shared: Shared) {
  const entrance = { ...shared, ...gateway }
  const verbs = Object.entries(VERBS).map(([id, verb]) => {
    const route = ROUTES[id as keyof typeof VERBS]
    return [route.path, reading(entrance, route, () => verb(gateway))] as const
  })
  const direct = new Map<string, ReturnType<typeof reading>>(verbs)
  let router: Router | null = null
  const { get } = once(() => routerOf(shared))

  async function load(): Promise<Router> {
    router = await get()
    return router
  }

  async function failed(error: unknown, request: Request): Promise<Response> {
    const { failedResponse } = await import('./http/failed.ts')
    return failedResponse(shared, error, request)
  }

  return (request: Request): Response | Promise<Response> => {
    const read = request.method === 'GET' ? direct.get(targetOf(request.url)) : undefined
    if (read) return read({ request }).catch((error: unknown) => failed(error, request))
    if (router) return router.fetch(request)
    return besideBody(request, load).then((loaded) => loaded.fetch(request))
  }
}
